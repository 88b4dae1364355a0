// SourceText: a named text that people wrote (a rule file, a configuration), and places in it.
// Offsets count bytes from zero; lines and columns count from one, columns in code points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::base {

/// A place in a named text. line == 0 means "the file as a whole".
struct Place {
  std::string file;  ///< as the user named it
  int line = 0;
  int column = 0;

  bool operator==(const Place&) const = default;
  auto operator<=>(const Place&) const = default;
};

/// "file:line", "file:line:column", or "file".
std::string to_text(const Place& place);

class SourceText {
 public:
  SourceText(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }

  /// Place of a byte offset; offsets beyond the end give the end.
  Place place_at(std::size_t offset) const;

  /// Byte offset of a line and column, clamped to the text. Both from one.
  std::size_t offset_of(int line, int column) const;

  /// The line without its end, empty where there is none. From one.
  std::string_view line(int number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace berth::base
