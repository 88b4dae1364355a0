// Json: an immutable JSON value, and the only door to the JSON libraries (simdjson reads, RapidJSON
// escapes). A Json is 16 bytes, is passed by value and points into an arena or into the parsed
// text; it is valid as long as those are. Changing one makes a new value that shares all untouched
// parts with the old one (with_member, with_item, ...), so a "copy" of a pod costs nothing and
// equal() skips what is shared. Numbers keep the text they came with: nothing is rounded, and
// printing gives the same digits back. Values may be read from any thread; building needs one's own
// arena.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/keys.h"
#include "base/result.h"

namespace berth::kube {

enum class JsonType : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

/// "null", "bool", "number", "string", "array", "object".
std::string_view to_text(JsonType type);

struct JsonMember;

class Json {
 public:
  /// null.
  constexpr Json() = default;

  static constexpr Json boolean(bool value);  // the value itself, not an option
  /// Text that outlives the value.
  static Json string(std::string_view text) {
    return {JsonType::kString, text.data(), text.size()};
  }
  /// JSON number text ("8", "1.5e3") that outlives the value. Requires: valid JSON number syntax.
  static Json number(std::string_view text) {
    return {JsonType::kNumber, text.data(), text.size()};
  }
  static Json array(std::span<const Json> items) {
    return {JsonType::kArray, items.data(), items.size()};
  }
  static Json object(std::span<const JsonMember> members);

  JsonType type() const { return type_; }
  bool is_null() const { return type_ == JsonType::kNull; }
  bool is_bool() const { return type_ == JsonType::kBool; }
  bool is_number() const { return type_ == JsonType::kNumber; }
  bool is_string() const { return type_ == JsonType::kString; }
  bool is_array() const { return type_ == JsonType::kArray; }
  bool is_object() const { return type_ == JsonType::kObject; }

  // Safe getters: a wrong type reads as absent. Nothing asserts.
  bool bool_or(bool fallback) const {
    return is_bool() ? data_ != nullptr : fallback;
  }  // the value itself
  /// The string, or the fallback when this is no string.
  std::string_view string_or(std::string_view fallback) const {
    return is_string() ? text() : fallback;
  }
  std::string_view string_or_empty() const { return string_or({}); }
  /// A number without fraction that fits 64 bits ("8", "8.0" and "1e3" do); strings give nothing.
  std::optional<std::int64_t> as_int() const;
  /// Nearest double of a number.
  std::optional<double> as_double() const;
  /// The digits as they came. Empty unless a number.
  std::string_view number_text() const { return is_number() ? text() : std::string_view{}; }

  /// Items of an array, members of an object, bytes of a text; 0 for the rest.
  std::size_t size() const { return size_; }
  /// Empty unless an array.
  std::span<const Json> items() const {
    return is_array() ? std::span(static_cast<const Json*>(data_), size_) : std::span<const Json>{};
  }
  /// Empty unless an object. In the order of the text.
  std::span<const JsonMember> members() const;

  /// Member of an object by key; null Json where absent or where this is no object.
  Json operator[](std::string_view key) const;
  /// The same, telling absent (nullptr) from null.
  const Json* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Item of an array; null Json where there is none.
  Json at(std::size_t index) const { return index < items().size() ? items()[index] : Json(); }

  /// True where both point at the very same value (then they are equal).
  bool shares(const Json& other) const {
    return type_ == other.type_ && size_ == other.size_ && data_ == other.data_;
  }

 private:
  constexpr Json(JsonType type, const void* data, std::size_t size)
      : data_(data), size_(static_cast<std::uint32_t>(size)), type_(type) {}
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

  const void* data_ = nullptr;
  std::uint32_t size_ = 0;
  JsonType type_ = JsonType::kNull;
};

struct JsonMember {
  std::string_view key;
  Json value;
};

inline constexpr char kTrueMark = 1;
constexpr Json Json::boolean(bool value) {
  return {JsonType::kBool, value ? static_cast<const void*>(&kTrueMark) : nullptr, 0};
}
inline Json Json::object(std::span<const JsonMember> members) {
  return {JsonType::kObject, members.data(), members.size()};
}
inline std::span<const JsonMember> Json::members() const {
  return is_object() ? std::span(static_cast<const JsonMember*>(data_), size_)
                     : std::span<const JsonMember>{};
}
// Here, so that a look-up by a literal compares as many bytes as it has, without a call.
[[gnu::always_inline]] inline const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const auto* member = static_cast<const JsonMember*>(data_);
  for (const auto* end = member + size_; member != end; ++member) {
    if (base::same_key(member->key, key)) return &member->value;
  }
  return nullptr;
}
[[gnu::always_inline]] inline Json Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  return found != nullptr ? *found : Json();
}

// ---------------------------------------------------------------- reading

/// Bytes that must be readable behind a text that is parsed in place (simdjson: SIMDJSON_PADDING).
inline constexpr std::size_t kParsePadding = 64;

struct ParseLimits {
  std::size_t depth = 128;  ///< nesting; a pod needs about 12
  /// Members with this key that are arrays are left out, and only their tokens are checked: for the
  /// third of a pod that nobody reads (metadata.managedFields). Empty: all is read.
  std::string_view left_out = {};
};

/// Parses one JSON document that fills `text`, in place: strings and numbers stay where they are,
/// so the buffer must outlive the value. Requires: kParsePadding more bytes can be read behind
/// `text`, whatever they hold. Refused: invalid UTF-8, a byte order mark, control characters in
/// strings, lone surrogates, duplicate keys (the API server's own decoding would silently take the
/// last), nesting above the limit, NUL in the text, anything behind the document. The error names
/// reason and byte offset.
base::Result<Json> parse_json_in_place(std::span<const char> text, base::Arena& arena,
                                       const ParseLimits& limits = {});

/// The same from a text that is copied into the arena first.
base::Result<Json> parse_json(std::string_view text, base::Arena& arena,
                              const ParseLimits& limits = {});

// ---------------------------------------------------------------- building

Json make_string(base::Arena& arena, std::string_view text);  ///< copies the text
Json make_int(base::Arena& arena, std::int64_t value);
Json make_array(base::Arena& arena, std::initializer_list<Json> items);
Json make_array(base::Arena& arena, std::span<const Json> items);  ///< copies the list
Json make_object(base::Arena& arena,
                 std::initializer_list<JsonMember> members);  ///< keys must outlive it
Json make_object(base::Arena& arena, std::span<const JsonMember> members);
/// Everything copied, so that the result depends on `arena` alone.
Json deep_copy(base::Arena& arena, Json value);

/// The object with `key` set: in its place where it stood, else at the end. A value that is no
/// object counts as an empty one. The key must outlive the result.
Json with_member(base::Arena& arena, Json object, std::string_view key, Json value);
Json without_member(base::Arena& arena, Json object, std::string_view key);
/// The array with one item replaced. Requires: index < size().
Json with_item(base::Arena& arena, Json array, std::size_t index, Json value);
/// The array with an item inserted before `index`. Requires: index <= size(). No array counts as
/// empty.
Json with_inserted(base::Arena& arena, Json array, std::size_t index, Json value);
Json without_item(base::Arena& arena, Json array, std::size_t index);

// ---------------------------------------------------------------- comparing and printing

/// Same value: objects regardless of member order, numbers by value ("1.0" equals "1").
bool equal(Json a, Json b);

/// Compact JSON, appended. Strings are escaped as RFC 8259 asks, no more.
void append_json(std::string& out, Json value);
std::string to_json(Json value);
/// Appends a quoted, escaped string.
void append_json_string(std::string& out, std::string_view text);

}  // namespace berth::kube
