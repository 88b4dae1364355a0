// A document and a patch, one to a line: applying never fails badly, the document stays as it was,
// a result reads back, and each member that a patch of "add" sets is there afterwards.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/json_patch.h"
#include "kube/pointer.h"

namespace kube = berth::kube;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The result of a patch of one "add" or "replace" has the value at the path.
void check_single(kube::Json patch, kube::Json result) {
  if (patch.size() != 1) return;
  const kube::Json operation = patch.at(0);
  const std::string_view op = operation["op"].string_or_empty();
  const std::string_view path = operation["path"].string_or_empty();
  if ((op != "add" && op != "replace") || path.ends_with("/-")) return;
  const kube::Json* found = kube::find_at(result, path);
  require(found != nullptr && kube::equal(*found, operation["value"]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  berth::base::Arena arena;
  const auto document = kube::parse_json(text.substr(0, end), arena);
  const auto patch = kube::parse_json(text.substr(end + 1), arena);
  if (!document || !patch) return 0;
  const std::string before = kube::to_json(*document);
  const auto result = kube::apply_patch(*document, *patch, arena);
  require(kube::to_json(*document) == before);
  if (!result) {
    require(!result.error().text.empty());
    return 0;
  }
  check_single(*patch, *result);
  const std::string printed = kube::to_json(*result);
  const auto again = kube::parse_json(printed, arena, {.depth = 1024});
  // A key may stand twice in no result, however the patch came to it.
  require(again.has_value() && kube::equal(*again, *result));
  return 0;
}
