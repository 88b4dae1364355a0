// Timestamps (RFC 3339, years 1 to 9999) and durations (nanoseconds in 64 bits, as Kubernetes has
// them). No time zone names: offsets and UTC only.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "rules/cel/ast.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {

/// Seconds of 0001-01-01T00:00:00Z and of 9999-12-31T23:59:59Z.
inline constexpr std::int64_t kMinSeconds = -62135596800;
inline constexpr std::int64_t kMaxSeconds = 253402300799;

/// "2009-02-13T23:31:30.5Z" or with an offset; the error value where it is none or out of range.
Value parse_timestamp(std::string_view text);

/// A text of bounded length without the heap.
struct TimeText {
  std::array<char, 64> bytes{};
  std::size_t size = 0;

  std::string_view view() const { return {bytes.data(), size}; }
};
TimeText timestamp_text(Timestamp time);

/// "1h30m", "-1.5s", "10ms"; the error value where it is none or out of range.
Value parse_duration(std::string_view text);
/// In seconds: "5400s", "1.5s".
TimeText duration_text(std::int64_t nanoseconds);

/// + and - of timestamps and durations; an error for everything else.
Value time_arithmetic(Op op, Value a, Value b);

/// A day and a time of day, for the getters.
struct CivilTime {
  std::int64_t year = 1970;
  int month = 1;  ///< from 1
  int day = 1;    ///< from 1
  int hour = 0;
  int minute = 0;
  int second = 0;
  int day_of_week = 0;  ///< from Sunday, 0
  int day_of_year = 0;  ///< from 0
};
CivilTime civil_time(std::int64_t seconds);

/// Seconds east of UTC of "UTC", "", "Z", "+02:00", "-9:30", "02:00".
std::optional<std::int64_t> zone_offset(std::string_view zone);

}  // namespace berth::rules::cel
