// The reader of JSON texts. simdjson finds where tokens begin, sixty-four bytes at a time, checks
// UTF-8 and the ends of strings on the way, and takes escapes out; a walk over the tokens builds
// the values. (Its own readers do not fit: the DOM rounds numbers, On-Demand costs twice as much
// here.)
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/keys.h"
#include "base/utf8.h"
#include "kube/json.h"

namespace berth::kube {
namespace {

static_assert(kParsePadding >= simdjson::SIMDJSON_PADDING);

// Tables that grew for a text of more bytes than this are not kept.
constexpr std::size_t kKeptBytes = 1024 * 1024;

std::size_t digits_at(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end - from;
}

// RFC 8259: [ minus ] int [ frac ] [ exp ], and nothing else. The library reads numbers of 64 bits
// only; ours may have any length.
bool is_number_text(std::string_view text) {
  if (text.size() == 1) return text.front() >= '0' && text.front() <= '9';
  std::size_t at = !text.empty() && text.front() == '-' ? 1 : 0;
  const std::size_t whole = digits_at(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_at(text, at + 1);
    if (fraction == 0) return false;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t power = digits_at(text, at);
    if (power == 0) return false;
    at += power;
  }
  return at == text.size();
}

// A number that no double holds, like 1e400: the API server refuses it, so we do not pass it on.
bool is_too_big(std::string_view number) {
  constexpr std::size_t kDigitsOfTheLargest = 308;
  const bool may_be =
      number.size() > kDigitsOfTheLargest || number.find_first_of("eE") != std::string_view::npos;
  return may_be && std::isinf(std::strtod(std::string(number).c_str(), nullptr));
}

using Scanner = simdjson::internal::dom_parser_implementation;

// Memory that a thread keeps from text to text, so that a request allocates nothing here.
struct Tables {
  std::unique_ptr<Scanner> scanner;
  std::vector<JsonMember> stack;  // members and items of the objects and arrays that are open

  // The places of all tokens of the text, in `scanner`.
  simdjson::error_code scan(std::string_view text) {
    if (scanner == nullptr) {
      const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
          text.size(), 1, scanner);
      if (error != simdjson::SUCCESS) return error;
    } else if (scanner->capacity() < text.size()) {
      const auto error = scanner->set_capacity(text.size());
      if (error != simdjson::SUCCESS) return error;
    }
    return scanner->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                           simdjson::stage1_mode::regular);
  }
};

class TreeReader {
 public:
  TreeReader(Tables& tables, std::string_view text, base::Arena& arena, const ParseLimits& limits)
      : tables_(tables), text_(text), bytes_(text.data()), arena_(arena), limits_(limits) {}

  // False where the text is no JSON document: see problem().
  bool read(Json& out) {
    const auto error = tables_.scan(text_);
    if (error != simdjson::SUCCESS) {
      problem_ = std::string("not valid JSON: ") + simdjson::error_message(error);
      return false;
    }
    next_ = tables_.scanner->structural_indexes.get();
    end_ = next_ + tables_.scanner->n_structural_indexes;
    next_escape_ = escape_from(0);
    // Each member or item is followed by a comma or a bracket, but for those that are still open.
    const std::size_t most = tables_.scanner->n_structural_indexes / 2 + limits_.depth + 2;
    if (tables_.stack.size() < most) tables_.stack.resize(most);
    top_ = tables_.stack.data();
    if (!read_value(out, 0)) return false;
    return next_ == end_ || refuse("the root must not be followed by other values");
  }

  const std::string& problem() const { return problem_; }

 private:
  // The byte that the next token begins with; NUL behind the last.
  char peek() const { return next_ == end_ ? '\0' : bytes_[*next_]; }

  // Takes the next token if it is this one.
  bool take(char expected) {
    if (peek() != expected) return false;
    ++next_;
    return true;
  }

  // Texts are most of all values: they are read without a call.
  [[gnu::always_inline]] bool read_value(Json& out, std::size_t depth) {
    if (peek() != '"') return read_other(out, depth);
    std::string_view text;
    if (!read_string(text)) return false;
    out = Json::string(text);
    return true;
  }

  bool read_other(Json& out, std::size_t depth) {
    switch (peek()) {
      case '{':
        return read_object(out, depth + 1);
      case '[':
        return read_array(out, depth + 1);
      case '\0':
        return refuse("the text ends in the middle of a value");
      default:
        return read_word(out);
    }
  }

  // The text of a token that is no punctuation: what stands before the next one, without space. The
  // library puts the end of the text behind the last token.
  std::string_view word() const {
    std::size_t end = next_[1];
    const std::size_t start = *next_;
    while (end > start + 1 && is_space(bytes_[end - 1])) --end;
    return {bytes_ + start, end - start};
  }

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  bool read_word(Json& out) {
    const std::string_view token = word();
    if (is_number_text(token)) {
      if (is_too_big(token)) return refuse("a number is too big for 64 bits of floating point");
      out = Json::number(token);
    } else if (token == "true" || token == "false") {
      out = Json::boolean(token == "true");
    } else if (token == "null") {
      out = Json();
    } else {
      return refuse("expected a value");
    }
    ++next_;
    return true;
  }

  [[gnu::always_inline]] bool read_string(std::string_view& out) {
    const std::size_t start = *next_;
    const std::size_t end = next_[1];
    const bool plain = end - start >= 2 && bytes_[end - 1] == '"' && end <= next_escape_;
    if (!plain) return read_spaced_or_escaped(out);
    out = {bytes_ + start + 1, end - start - 2};
    ++next_;
    return true;
  }

  bool read_spaced_or_escaped(std::string_view& out) {
    const std::string_view token = word();
    if (token.size() < 2 || token.back() != '"') return refuse("expected a string");
    out = token.substr(1, token.size() - 2);
    if (*next_ + token.size() > next_escape_ && !unescape(out)) {
      return refuse("a string has a wrong escape");
    }
    ++next_;
    return true;
  }

  std::size_t escape_from(std::size_t place) const {
    const std::size_t found = text_.find('\\', place);
    return found == std::string_view::npos ? text_.size() : found;
  }

  // The text that an escaped one means. It is never longer; the library writes whole words.
  bool unescape(std::string_view& text) {
    auto* room =
        static_cast<std::uint8_t*>(arena_.allocate(text.size() + simdjson::SIMDJSON_PADDING, 1));
    const auto* escaped = reinterpret_cast<const std::uint8_t*>(text.data());
    next_escape_ = escape_from(*next_ + text.size() + 2);
    const std::uint8_t* end = tables_.scanner->parse_string(escaped, room);
    if (end == nullptr) return false;
    text = {reinterpret_cast<const char*>(room), static_cast<std::size_t>(end - room)};
    return base::is_utf8(text);  // a lone surrogate is none
  }

  bool read_array(Json& out, std::size_t depth) {
    if (depth > limits_.depth) return refuse_depth();
    ++next_;
    JsonMember* const first = top_;
    if (!take(']')) {
      do {
        JsonMember& item = *top_++;
        if (!read_value(item.value, depth)) return false;
      } while (take(','));
      if (!take(']')) return refuse("expected , or ] behind an item of an array");
    }
    const auto items = arena_.make_array<Json>(static_cast<std::size_t>(top_ - first));
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = first[i].value;
    top_ = first;
    out = Json::array(items);
    return true;
  }

  bool read_object(Json& out, std::size_t depth) {
    if (depth > limits_.depth) return refuse_depth();
    ++next_;
    JsonMember* const first = top_;
    if (!take('}')) {
      do {
        JsonMember& member = *top_;
        if (peek() != '"') return refuse("expected the key of a member");
        if (!read_string(member.key)) return false;
        if (!take(':')) return refuse("expected : behind a key");
        if (peek() == '[' && !limits_.left_out.empty() && member.key == limits_.left_out) {
          if (!step_over()) return false;
          continue;
        }
        ++top_;
        if (!read_value(member.value, depth)) return false;
      } while (take(','));
      if (!take('}')) return refuse("expected , or } behind a member of an object");
    }
    const auto members = arena_.copy(std::span<const JsonMember>(first, top_));
    top_ = first;
    if (const auto twice = base::repeated_key(members, &JsonMember::key)) {
      return refuse_at("key '" + std::string(*twice) + "' stands twice in one object");
    }
    out = Json::object(members);
    return true;
  }

  // Passes an array or object by its brackets alone.
  bool step_over() {
    std::size_t open = 0;
    const std::uint32_t* at = next_;
    do {
      if (at == end_) return refuse("the text ends in the middle of a value");
      const char c = bytes_[*at++];
      if (c < '[') continue;  // what begins no bracket and no word
      open += c == '[' || c == '{' ? 1u : 0u;
      open -= c == ']' || c == '}' ? 1u : 0u;
    } while (open > 0);
    next_ = at;
    const std::size_t place = next_ == end_ ? text_.size() : *next_;
    if (next_escape_ < place) next_escape_ = escape_from(place);
    return true;
  }

  bool refuse_depth() {
    return refuse_at("nesting above " + std::to_string(limits_.depth) + " levels");
  }

  bool refuse(std::string_view why) { return refuse_at("not valid JSON: " + std::string(why)); }

  bool refuse_at(std::string problem) {
    const std::size_t place = next_ == end_ ? text_.size() : *next_;
    problem_ = std::move(problem) + " at byte " + std::to_string(place);
    return false;
  }

  Tables& tables_;
  std::string_view text_;
  const char* bytes_;
  base::Arena& arena_;
  const ParseLimits& limits_;
  const std::uint32_t* next_ = nullptr;  // where the next token begins
  const std::uint32_t* end_ = nullptr;
  JsonMember* top_ = nullptr;    // of the stack
  std::size_t next_escape_ = 0;  // the first backslash that is not read yet
  std::string problem_;
};

// No token of JSON has a NUL in it; where one is the cause, it is what the error names.
std::string problem_of(std::string_view text, const TreeReader& reader) {
  const std::size_t nul = text.find('\0');
  return nul == std::string_view::npos ? reader.problem() : "NUL at byte " + std::to_string(nul);
}

}  // namespace

base::Result<Json> parse_json_in_place(std::span<const char> text, base::Arena& arena,
                                       const ParseLimits& limits) {
  const std::string_view whole(text.data(), text.size());
  if (text.empty()) return base::invalid("empty text, expected a JSON document");
  if (whole.starts_with("\xEF\xBB\xBF")) {
    return base::invalid("starts with a byte order mark, expected a JSON document");
  }
  thread_local Tables tables;
  Json out;
  TreeReader reader(tables, whole, arena, limits);
  base::Result<Json> result =
      reader.read(out) ? base::Result<Json>(out) : base::invalid(problem_of(whole, reader));
  if (text.size() > kKeptBytes) tables = Tables();
  return result;
}

base::Result<Json> parse_json(std::string_view text, base::Arena& arena,
                              const ParseLimits& limits) {
  auto* copy = static_cast<char*>(arena.allocate(text.size() + kParsePadding, 16));
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  std::memset(copy + text.size(), 0, kParsePadding);
  return parse_json_in_place({copy, text.size()}, arena, limits);
}

}  // namespace berth::kube
