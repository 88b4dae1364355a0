// Any text: parsing never fails badly; what was parsed prints, reads back as equal, and prints the
// same again; and as YAML it reads back as the same JSON. What is a JSON text and what is not,
// another library says too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "kube/json.h"
#include "kube/json_yaml.h"

namespace kube = berth::kube;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  berth::base::Arena arena;
  const auto value = kube::parse_json(text, arena, {.depth = 64});
  if (!value) {
    const std::string& problem = value.error().text;
    require(!problem.empty());
    const bool is_ours_alone = problem.find("stands twice") != std::string::npos ||
                               problem.find("nesting above") != std::string::npos ||
                               problem.find("byte order mark") != std::string::npos ||
                               problem.find("NUL at byte") != std::string::npos;
    require(is_ours_alone || !nlohmann::json::accept(text));
    return 0;
  }
  require(berth::base::is_utf8(text));
  require(nlohmann::json::accept(text));
  const std::string printed = kube::to_json(*value);
  const auto again = kube::parse_json(printed, arena);
  require(again.has_value() && kube::equal(*again, *value));
  require(kube::to_json(*again) == printed);
  require(kube::equal(kube::deep_copy(arena, *value), *value));

  berth::base::Problems problems;
  const auto documents =
      berth::base::parse_yaml(berth::base::SourceText("fuzz", kube::to_yaml(*value)), problems);
  require(problems.empty() && documents.size() == 1);
  require(kube::equal(kube::to_json(documents[0], arena), *value));
  return 0;
}
