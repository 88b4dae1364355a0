// What to say about a line that YAML cannot read. Most often an expression or a message stands
// there without quotes. Pure; part of base/yaml.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::base {

/// Without blanks, tabs and carriage returns at both ends.
std::string_view trimmed(std::string_view line);

/// What to do about a line that a plain text has broken: "quote the expression", "quote the text",
/// or empty where quotes would not help.
std::string quote_hint(std::string_view line);

/// The same for a value that was read as a tag.
std::string_view tag_hint(std::string_view line);

/// Offset just behind the quoted text that starts at `offset`, or npos where no quote closes it.
/// Requires: text[offset] is a quote.
std::size_t end_of_quoted(std::string_view text, std::size_t offset);

/// A tab stands among the blanks that the line starts with.
bool is_indented_by_tab(std::string_view line);

}  // namespace berth::base
