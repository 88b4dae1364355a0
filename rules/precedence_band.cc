#include "rules/precedence_band.h"

#include <filesystem>

namespace berth::rules {
namespace {

// "rules/tests/../a/" as "rules/a".
std::string tidy(const std::filesystem::path& path) {
  std::string out = path.lexically_normal().generic_string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

bool ends_with_parts(std::string_view folder, std::string_view parts) {
  if (!folder.ends_with(parts)) return false;
  return folder.size() == parts.size() || folder[folder.size() - parts.size() - 1] == '/';
}

}  // namespace

std::string to_text(const PrecedenceBand& band) {
  return std::to_string(band.from) + " to " + std::to_string(band.to) +
         ", the band of directory '" + band.directory + '\'';
}

const PrecedenceBand* band_of(std::string_view file, std::span<const PrecedenceBand> bands) {
  const std::string folder = tidy(std::filesystem::path(file).parent_path());
  const PrecedenceBand* found = nullptr;
  std::size_t longest = 0;
  for (const PrecedenceBand& band : bands) {
    const std::string directory = tidy(band.directory);
    if (!ends_with_parts(folder, directory) || directory.size() <= longest) continue;
    longest = directory.size();
    found = &band;
  }
  return found;
}

}  // namespace berth::rules
