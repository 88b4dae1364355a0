// The failures that evaluation knows without a name of their own: static, so that an error value is
// a pointer.
#pragma once

#include "rules/cel/value.h"

namespace berth::rules::cel {

inline constexpr Failure kNoSuchOverload{"no such overload", ""};
inline constexpr Failure kFieldOfNull{"null has no fields", ""};
inline constexpr Failure kNoSuchKey{"no such key", ""};
inline constexpr Failure kNotBound{"not bound", ""};
inline constexpr Failure kIntOverflow{"integer overflow", ""};
inline constexpr Failure kDivideByZero{"divide by zero", ""};
inline constexpr Failure kModulusByZero{"modulus by zero", ""};
inline constexpr Failure kOutOfRange{"range error", ""};
inline constexpr Failure kIndexOutOfBounds{"index out of bounds", ""};
inline constexpr Failure kBadKey{"unsupported key type", ""};
inline constexpr Failure kRepeatedKey{"a key stands twice in the map", ""};
inline constexpr Failure kBadUtf8{"invalid UTF-8 in bytes", ""};
inline constexpr Failure kBadConversion{"the text does not convert", ""};
inline constexpr Failure kNotOptional{"an optional entry needs an optional value", ""};
inline constexpr Failure kNoneHasNoValue{"optional.none() has no value", ""};
inline constexpr Failure kCostLimit{"cost limit exceeded", ""};
inline constexpr Failure kCycle{"the variable needs itself", ""};
inline constexpr Failure kTimeRange{"timestamp out of range", ""};
inline constexpr Failure kDurationRange{"duration out of range", ""};
inline constexpr Failure kBadTimestamp{"invalid timestamp", ""};
inline constexpr Failure kBadDuration{"invalid duration", ""};
inline constexpr Failure kBadZone{"time zones are offsets such as '+02:00', or 'UTC'", ""};
inline constexpr Failure kBadQuantity{"invalid quantity", ""};
inline constexpr Failure kNotWhole{"the quantity is not a whole number of 64 bits", ""};
inline constexpr Failure kBadRegex{"invalid regular expression", ""};
inline constexpr Failure kEmptyList{"the list is empty", ""};
inline constexpr Failure kNotComparable{"the items do not compare", ""};
inline constexpr Failure kBadSlice{"invalid start or end", ""};
inline constexpr Failure kNegative{"must not be negative", ""};
inline constexpr Failure kBadFormat{"invalid format", ""};
inline constexpr Failure kBadBase64{"invalid base64", ""};

inline Value fail(const Failure& failure) {
  return Value::error(&failure);
}

}  // namespace berth::rules::cel
