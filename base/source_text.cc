#include "base/source_text.h"

#include <algorithm>
#include <utility>

namespace berth::base {
namespace {

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string to_text(const Place& place) {
  std::string out = place.file;
  if (place.line > 0) out += ':' + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) out += ':' + std::to_string(place.column);
  return out;
}

SourceText::SourceText(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Place SourceText::place_at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto start = *(after - 1);
  int column = 1;
  for (std::size_t i = start; i < offset; ++i) column += continues_a_character(text_[i]) ? 0 : 1;
  return {name_, static_cast<int>(after - line_starts_.begin()), column};
}

std::size_t SourceText::offset_of(int line, int column) const {
  if (line < 1) return 0;
  if (static_cast<std::size_t>(line) > line_starts_.size()) return text_.size();
  std::size_t at = line_starts_[static_cast<std::size_t>(line) - 1];
  for (int c = 1; c < column && at < text_.size() && text_[at] != '\n'; ++c) {
    do ++at;
    while (at < text_.size() && continues_a_character(text_[at]));
  }
  return at;
}

std::string_view SourceText::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size()) return {};
  const std::size_t start = line_starts_[static_cast<std::size_t>(number) - 1];
  std::size_t end = text_.find('\n', start);
  if (end == std::string::npos) end = text_.size();
  if (end > start && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(start, end - start);
}

}  // namespace berth::base
