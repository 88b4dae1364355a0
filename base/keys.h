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

/// A number that most different keys differ in: from length, middle and end.
inline std::uint32_t look_of(std::string_view key) {
  if (key.empty()) return 0;
  const auto byte = [key](std::size_t at) { return static_cast<unsigned char>(key[at]); };
  return static_cast<std::uint32_t>(key.size()) * 7u + byte(key.size() - 1) * 5u +
         byte(key.size() / 2) * 3u;
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
  // A table with open places, at most half full: a key is compared with those that look like it.
  std::array<std::uint8_t, 2 * kShort> places{};  // 1 + index of an item; 0 where free
  std::array<std::uint32_t, kShort> looks;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view key = std::invoke(key_of, items[i]);
    looks[i] = look_of(key);
    std::size_t place = looks[i] % places.size();
    for (; places[place] != 0; place = (place + 1) % places.size()) {
      const std::size_t j = places[place] - 1u;
      if (looks[i] == looks[j] && same_key(key, std::invoke(key_of, items[j]))) return key;
    }
    places[place] = static_cast<std::uint8_t>(i + 1);
  }
  return std::nullopt;
}

}  // namespace berth::base
