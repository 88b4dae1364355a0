// Display: foreign text made fit to be shown on one line. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::base {

/// Every control character (C0, DEL, C1), line separator and mark of writing direction as a space:
/// what a pod or a rule says is no command to a terminal and does not look like something else.
std::string without_controls(std::string_view text);

/// The beginning of the text, of at most so many bytes, that ends between two characters. Requires:
/// valid UTF-8.
std::string_view whole_characters(std::string_view text, std::size_t most_bytes);

}  // namespace berth::base
