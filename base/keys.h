// Keys: comparing and finding names that often begin alike ("nvidia.com/gpu", "nvidia.com/mig").
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace berth::base {

/// a == b. Length and last byte tell most keys apart before a call is made.
inline bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         (a.empty() || (a.back() == b.back() && std::memcmp(a.data(), b.data(), a.size()) == 0));
}

/// One of 64 bits, in which most different keys differ: from length, middle and end.
inline std::uint64_t look_of(std::string_view key) {
  if (key.empty()) return 1;
  const char* bytes = key.data();
  const auto byte = [bytes](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  return std::uint64_t{1} << ((key.size() * 7 + byte(key.size() - 1) * 5u +
                               byte(key.size() / 2) * 3u) %
                              64);
}

/// A key that stands twice in the list, or nothing. Sorts; for long lists.
std::optional<std::string_view> repeated_key_sorted(std::vector<std::string_view> keys);

/// A key that stands twice among `items`, or nothing; `key_of(item)` gives the std::string_view of
/// one (a member pointer does). Short lists allocate nothing.
template <typename Items, typename KeyOf = std::identity>
std::optional<std::string_view> repeated_key(const Items& items, KeyOf key_of = {}) {
  constexpr std::size_t kShort = 64;
  if (items.size() < 2) return std::nullopt;
  if (items.size() > kShort) {
    std::vector<std::string_view> all;
    all.reserve(items.size());
    for (const auto& item : items) all.push_back(std::invoke(key_of, item));
    return repeated_key_sorted(std::move(all));
  }
  std::array<std::string_view, kShort> keys;  // each asked for once: finding one may take a search
  std::size_t count = 0;
  std::uint64_t looks = 0;  // of the keys so far: a key that looks like none of them is new
  for (const auto& item : items) {
    const std::string_view key = std::invoke(key_of, item);
    const std::uint64_t look = look_of(key);
    for (std::size_t i = 0; (looks & look) != 0 && i < count; ++i) {
      if (same_key(key, keys[i])) return key;
    }
    looks |= look;
    keys[count++] = key;
  }
  return std::nullopt;
}

}  // namespace berth::base
