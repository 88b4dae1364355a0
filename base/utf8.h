// UTF-8: whether a text is valid. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace berth::base {

/// Offset of the first byte that is no part of valid UTF-8 (overlong forms and surrogates count as
/// invalid); nothing where all is well.
std::optional<std::size_t> first_bad_utf8(std::string_view text);

inline bool is_utf8(std::string_view text) {
  return !first_bad_utf8(text).has_value();
}

}  // namespace berth::base
