// Keys: comparing and finding names that often begin alike ("nvidia.com/gpu", "nvidia.com/mig").
// Pure; any thread.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace berth::base {

/// a == b. Length and last byte tell most keys apart before a call is made.
inline bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         (a.empty() || (a.back() == b.back() && std::memcmp(a.data(), b.data(), a.size()) == 0));
}

/// A key that stands twice in the list, or nothing.
std::optional<std::string_view> repeated_key(std::span<const std::string_view> keys);

}  // namespace berth::base
