#include "base/keys.h"

#include <algorithm>
#include <vector>

namespace berth::base {
namespace {

// Lists longer than this are sorted; in shorter ones every pair is looked at.
constexpr std::size_t kPairwise = 48;

}  // namespace

std::optional<std::string_view> repeated_key(std::span<const std::string_view> keys) {
  if (keys.size() <= kPairwise) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (same_key(keys[i], keys[j])) return keys[i];
      }
    }
    return std::nullopt;
  }
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  return twice == sorted.end() ? std::nullopt : std::optional(*twice);
}

}  // namespace berth::base
