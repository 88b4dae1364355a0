// Value: what an expression works on and gives. 16 bytes, passed by value. Scalars are inside;
// strings, lists and maps are views into the request's JSON, the program's constants or the arena
// of the evaluation, and are valid as long as those are. An error is a value too, with a static
// text: nothing is thrown. Values may be read from any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "kube/json.h"
#include "kube/quantity.h"

namespace berth::rules::cel {

enum class Kind : std::uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kType,
  kTimestamp,
  kDuration,
  kQuantity,
  kOptional,
  kStruct,
};

/// Name of the type as CEL writes it: "int", "null_type", "google.protobuf.Duration".
std::string_view type_name(Kind kind);

struct StructType;
struct Entry;

/// Why an evaluation failed: a static text, and the key or name that it is about (may be empty).
struct Failure {
  std::string_view text;
  std::string_view name;
};

/// An object of a closed type together with its table; see type.h.
struct StructRef {
  const StructType* type = nullptr;
  const void* object = nullptr;
};

struct Timestamp {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z
  std::int32_t nanos = 0;    ///< 0 to 999,999,999

  auto operator<=>(const Timestamp&) const = default;
};

class Value {
 public:
  /// null.
  constexpr Value() = default;

  static constexpr Value boolean(bool value) {  // the value itself, not an option
    return {Kind::kBool, Store::kPlain, 0, value ? 1U : 0U};
  }
  static constexpr Value integer(std::int64_t value) {
    return {Kind::kInt, Store::kPlain, 0, static_cast<std::uint64_t>(value)};
  }
  static constexpr Value unsigned_integer(std::uint64_t value) {
    return {Kind::kUint, Store::kPlain, 0, value};
  }
  static Value real(double value) {
    return {Kind::kDouble, Store::kPlain, 0, std::bit_cast<std::uint64_t>(value)};
  }
  /// A view: the text must outlive the value.
  static Value string(std::string_view text) { return view(Kind::kString, text); }
  static Value bytes(std::string_view bytes) { return view(Kind::kBytes, bytes); }
  /// A type as a value, by name. The name must outlive it.
  static Value type(std::string_view name) { return view(Kind::kType, name); }
  static Value list(std::span<const Value> items) {
    return {Kind::kList, Store::kPlain, items.size(), address(items.data())};
  }
  static Value map(std::span<const Entry> entries);
  /// JSON as CEL sees it: whole numbers that fit are int, other numbers double.
  static Value json(kube::Json json);
  static Value timestamp(Timestamp time) {
    return {Kind::kTimestamp, Store::kPlain, static_cast<std::uint32_t>(time.nanos),
            static_cast<std::uint64_t>(time.seconds)};
  }
  static Value duration(std::int64_t nanoseconds) {
    return {Kind::kDuration, Store::kPlain, 0, static_cast<std::uint64_t>(nanoseconds)};
  }
  static Value quantity(const kube::Quantity* quantity) {
    return {Kind::kQuantity, Store::kPlain, 0, address(quantity)};
  }
  static Value quantity(base::Arena& arena, kube::Quantity quantity) {
    return Value::quantity(arena.make<kube::Quantity>(quantity));
  }
  static Value none() { return {Kind::kOptional, Store::kPlain, 0, 0}; }
  static Value some(const Value* value) {
    return {Kind::kOptional, Store::kPlain, 0, address(value)};
  }
  static Value some(base::Arena& arena, Value value) { return some(arena.make<Value>(value)); }
  static Value structure(const StructRef* ref) {
    return {Kind::kStruct, Store::kPlain, 0, address(ref)};
  }
  static Value structure(base::Arena& arena, const StructType& type, const void* object) {
    return structure(arena.make<StructRef>(&type, object));
  }
  /// The failure must outlive the value: a static constant, or one in the arena.
  static Value error(const Failure* failure) {
    return {Kind::kError, Store::kPlain, 0, address(failure)};
  }
  static Value error(base::Arena& arena, std::string_view text, std::string_view name) {
    return error(arena.make<Failure>(text, arena.copy(name)));
  }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_true() const { return kind_ == Kind::kBool && bits_ != 0; }
  bool is_false() const { return kind_ == Kind::kBool && bits_ == 0; }
  bool is_number() const { return kind_ >= Kind::kInt && kind_ <= Kind::kDouble; }

  // Requires for each: the kind that the name says.
  bool as_bool() const { return bits_ != 0; }
  std::int64_t as_int() const { return static_cast<std::int64_t>(bits_); }
  std::uint64_t as_uint() const { return bits_; }
  double as_double() const { return std::bit_cast<double>(bits_); }
  /// Of a string, bytes or type.
  std::string_view text() const { return {pointer<char>(), size_}; }
  Timestamp as_timestamp() const {
    return {static_cast<std::int64_t>(bits_), static_cast<std::int32_t>(size_)};
  }
  std::int64_t as_duration() const { return static_cast<std::int64_t>(bits_); }
  const kube::Quantity& as_quantity() const { return *pointer<kube::Quantity>(); }
  bool has_value() const { return bits_ != 0; }               ///< of an optional
  Value optional_value() const { return *pointer<Value>(); }  ///< of one that has a value
  const StructRef& as_struct() const { return *pointer<StructRef>(); }
  const Failure& failure() const { return *pointer<Failure>(); }

  /// Items of a list, entries of a map, bytes of a text.
  std::size_t size() const { return size_; }
  /// Item of a list. Requires: index < size().
  Value item(std::size_t index) const {
    return store_ == Store::kJson ? json(pointer<kube::Json>()[index]) : pointer<Value>()[index];
  }
  /// Key and value of a map by position. Requires: index < size().
  Value key_at(std::size_t index) const;
  Value value_at(std::size_t index) const;

  /// An error keeps the byte offset in the expression where it arose.
  std::uint32_t error_offset() const { return size_; }
  Value at_offset(std::uint32_t offset) const {
    Value out = *this;
    if (is_error() && size_ == 0) out.size_ = offset;
    return out;
  }

  /// The JSON that a list or map is a view on; null Json for everything else.
  kube::Json viewed_json() const;

 private:
  enum class Store : std::uint8_t { kPlain, kJson };
  constexpr Value(Kind kind, Store store, std::size_t size, std::uint64_t bits)
      : kind_(kind), store_(store), size_(static_cast<std::uint32_t>(size)), bits_(bits) {}
  static std::uint64_t address(const void* data) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data));
  }
  static Value view(Kind kind, std::string_view text) {
    return {kind, Store::kPlain, text.size(), address(text.data())};
  }
  template <typename T>
  const T* pointer() const {
    return reinterpret_cast<const T*>(static_cast<std::uintptr_t>(bits_));
  }

  Kind kind_ = Kind::kNull;
  Store store_ = Store::kPlain;
  std::uint32_t size_ = 0;  // or nanoseconds of a timestamp, or offset of an error
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Value) == 16);

struct Entry {
  Value key;
  Value value;
};

inline Value Value::map(std::span<const Entry> entries) {
  return {Kind::kMap, Store::kPlain, entries.size(), address(entries.data())};
}

/// The value at a key: int, uint and double find the same entry when numerically equal. False where
/// there is none. Requires: a map.
bool find(Value map, Value key, Value* found);
bool find(Value map, std::string_view key, Value* found);

/// Equality as `==` has it: numbers across kinds, NaN unequal to itself, lists and maps by content.
bool equal(Value a, Value b);

/// Code points in valid UTF-8.
std::size_t code_points(std::string_view text);

/// A value as text, for `${...}` in messages and settings: strings as they are, quantities in their
/// shortest form, lists and maps in brackets. An error gives "?".
std::string to_text(Value value);

/// The same as an author would write it in an expression: strings quoted, durations and quantities
/// as calls. An error gives its text and name: "no such key 'team'".
std::string to_source(Value value);

/// A value as JSON in the arena: what a setting of a field writes. Bytes become base64, quantities,
/// timestamps and durations strings; null for errors and what JSON cannot say.
kube::Json to_json(base::Arena& arena, Value value);

}  // namespace berth::rules::cel
