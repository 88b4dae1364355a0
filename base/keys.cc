#include "base/keys.h"

#include <algorithm>

namespace berth::base {

std::optional<std::string_view> repeated_key_sorted(std::vector<std::string_view> keys) {
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() ? std::nullopt : std::optional(*twice);
}

}  // namespace berth::base
