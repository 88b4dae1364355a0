// Keys: comparing and finding names that often begin alike ("nvidia.com/gpu", "nvidia.com/mig").
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

namespace berth::base {

/// The first and the last bytes of two texts are the same, a word of each; they may overlap.
/// Requires: both are of the same size, and hold a word.
template <typename Word>
bool same_ends(std::string_view a, std::string_view b) {
  const auto word_at = [](const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  };
  const std::size_t last = a.size() - sizeof(Word);
  return ((word_at(a.data()) ^ word_at(b.data())) |
          (word_at(a.data() + last) ^ word_at(b.data() + last))) == 0;
}

/// a == b. Length and last byte tell most keys apart; those of 4 to 16 bytes, as most are, need no
/// call either.
inline bool same_key(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size == 0) return true;
  if (a.back() != b.back()) return false;
  if (size >= 8 && size <= 16) return same_ends<std::uint64_t>(a, b);
  if (size >= 4 && size < 8) return same_ends<std::uint32_t>(a, b);
  return std::memcmp(a.data(), b.data(), size) == 0;
}

/// A number below 64 that is mostly another for another key: from length, middle and end.
inline std::size_t bucket_of(std::string_view key) {
  if (key.empty()) return 0;
  const char* bytes = key.data();
  const auto byte = [bytes](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  return (key.size() * 7 + byte(key.size() - 1) * 5u + byte(key.size() / 2) * 3u) % 64;
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
  if (items.size() == 2) {  // most lists: they need no table
    const std::string_view first = std::invoke(key_of, *items.begin());
    const bool same = same_key(first, std::invoke(key_of, *std::next(items.begin())));
    return same ? std::optional(first) : std::nullopt;
  }
  // Each key is asked for once: finding one may take a search. Only `latest` is set beforehand.
  std::array<const char*, kShort> texts;
  std::array<std::size_t, kShort> sizes;
  std::array<std::uint8_t, kShort> earlier;   // the key before in the same bucket
  std::array<std::uint8_t, kShort> latest{};  // of each bucket; keys count from 1, 0 is none
  std::uint8_t count = 0;
  for (const auto& item : items) {
    const std::string_view key = std::invoke(key_of, item);
    std::uint8_t& bucket = latest[bucket_of(key)];
    for (std::uint8_t at = bucket; at != 0; at = earlier[at - 1u]) {
      if (same_key(key, {texts[at - 1u], sizes[at - 1u]})) return key;
    }
    texts[count] = key.data();
    sizes[count] = key.size();
    earlier[count] = bucket;
    bucket = ++count;
  }
  return std::nullopt;
}

}  // namespace berth::base
