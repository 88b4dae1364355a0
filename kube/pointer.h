// JSON Pointer (RFC 6901): building, splitting and following.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kube/json.h"

namespace berth::kube {

/// One segment with '~' and '/' escaped ("~" first: "a~b/c" gives "a~0b~1c").
std::string escape_segment(std::string_view segment);
void append_segment(std::string& pointer,
                    std::string_view segment);  ///< appends '/' and the escaped segment
void append_segment(std::string& pointer, std::size_t index);

/// The array index that a segment names: digits without sign and without leading zero; "-" is none.
std::optional<std::size_t> array_index(std::string_view segment);

/// The unescaped segments; they point into the pointer, or into the arena where they had escapes.
/// Invalid: a text that neither is empty nor starts with '/', a '~' that is not followed by 0 or 1.
base::Result<std::span<const std::string_view>> split_pointer(std::string_view pointer,
                                                              base::Arena& arena);

/// The value at a pointer; nullptr where any step is absent or the pointer is invalid. "-" finds
/// nothing.
const Json* find_at(const Json& root, std::string_view pointer);

}  // namespace berth::kube
