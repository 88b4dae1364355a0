// Result<T>: a value or one Error. The subset of std::expected (C++23) that berth uses, with its
// names. For many failures at once use base/problem.h. Values are moved in and out; no allocation
// of its own.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace berth::base {

/// Who or what failed, in six words; the text carries the detail.
enum class ErrorCode { kInvalid, kNotFound, kUnavailable, kConflict, kExpired, kInternal };

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string text;  ///< lower case, no full stop, names place, value and what was expected

  bool operator==(const Error&) const = default;
};

/// Shorthand for the commonest case: input that is wrong.
inline Error invalid(std::string text) {
  return {ErrorCode::kInvalid, std::move(text)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::move(value)) {}  // NOLINT(google-explicit-constructor): reads as a return
  Result(Error error)
      : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor): reads as a return

  bool has_value() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return has_value(); }

  /// Requires: has_value().
  T& value() {
    assert(has_value());
    return *std::get_if<T>(&state_);
  }
  const T& value() const {
    assert(has_value());
    return *std::get_if<T>(&state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Requires: !has_value().
  const Error& error() const {
    assert(!has_value());
    return *std::get_if<Error>(&state_);
  }

  T value_or(T fallback) const { return has_value() ? value() : std::move(fallback); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
struct Done {
  bool operator==(const Done&) const = default;
};
using Status = Result<Done>;

}  // namespace berth::base
