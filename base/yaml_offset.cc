#include "base/yaml_offset.h"

#include <algorithm>
#include <string_view>

namespace berth::base {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Walks a scalar's text and its spelling in the source side by side.
class Walk {
 public:
  Walk(std::string_view source, const YamlNode& scalar)
      : source_(source), text_(scalar.text), at_(scalar.offset) {
    if (scalar.block) {
      at_ = std::min(source_.find('\n', at_), source_.size());
      skip_blanks();
      while (done_ < text_.size() && is_blank(text_[done_])) ++done_;
    } else if (!scalar.plain && at_ < source_.size()) {
      quote_ = source_[at_++];
    }
  }

  /// Steps to the byte `offset` of the text; false where the two differ.
  bool to(std::size_t offset) {
    while (done_ < offset && done_ < text_.size()) {
      if (!step(offset)) return false;
    }
    while (done_ < text_.size() && !is_blank(text_[done_]) && at_ < source_.size() &&
           is_blank(source_[at_])) {
      ++at_;  // a line was folded right before the place
    }
    return true;
  }
  std::size_t at() const { return at_; }

 private:
  void skip_blanks() {
    while (at_ < source_.size() && is_blank(source_[at_])) ++at_;
  }

  bool step(std::size_t offset) {
    if (at_ >= source_.size()) return false;
    const char c = source_[at_];
    if (c == '\\' && quote_ == '"') return step_escape(offset);
    if (c == '\'' && quote_ == '\'') ++at_;  // two quotes stand for one
    if (c == text_[done_] && c != '\n') {
      ++at_;
      ++done_;
      return true;
    }
    if (!is_blank(c)) return false;
    skip_blanks();  // a line end with the indentation behind it, folded or not
    while (done_ < offset && is_blank(text_[done_])) ++done_;
    return true;
  }

  bool step_escape(std::size_t offset) {
    if (at_ + 1 >= source_.size()) return false;
    const char kind = source_[at_ + 1];
    if (kind == '\n' || kind == '\r') {
      ++at_;
      skip_blanks();
      return true;
    }
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    at_ += 2 + digits;
    do ++done_;  // the bytes of one character
    while (done_ < offset && (static_cast<unsigned char>(text_[done_]) & 0xC0) == 0x80);
    return true;
  }

  std::string_view source_;
  std::string_view text_;
  std::size_t at_;
  std::size_t done_ = 0;  // bytes of the text behind us
  char quote_ = 0;
};

}  // namespace

std::size_t source_offset(const SourceText& source, const YamlNode& scalar,
                          std::size_t text_offset) {
  Walk walk(source.text(), scalar);
  return walk.to(text_offset) ? std::min(walk.at(), source.text().size()) : scalar.offset;
}

}  // namespace berth::base
