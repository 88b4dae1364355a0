// Parts of timestamps and durations. A zone is an offset: names need a database that is not here.
#include <array>

#include "rules/cel/library.h"
#include "rules/cel/time.h"

namespace berth::rules::cel {
namespace {

using Arguments = std::span<const Value>;

// Reads one part of the local time of a timestamp, in UTC or at the offset of the second argument.
template <typename Part>
Value part_of(Arguments a, Part part) {
  std::int64_t offset = 0;
  if (a.size() == 2) {
    const auto zone = zone_offset(a[1].text());
    if (!zone.has_value()) return fail(kBadZone);
    offset = *zone;
  }
  return Value::integer(part(civil_time(a[0].as_timestamp().seconds + offset)));
}

Value full_year(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.year; });
}
Value month(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.month - 1; });
}
Value day_of_year(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.day_of_year; });
}
Value day_of_month(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.day - 1; });
}
Value date(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.day; });
}
Value day_of_week(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.day_of_week; });
}
Value hours(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.hour; });
}
Value minutes(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.minute; });
}
Value seconds(Frame&, Arguments a) {
  return part_of(a, [](const CivilTime& t) { return t.second; });
}
Value milliseconds(Frame&, Arguments a) {
  const auto nanos = a[0].as_timestamp().nanos;
  return part_of(a, [nanos](const CivilTime&) { return nanos / 1'000'000; });
}

// Whole hours, minutes and seconds of a duration; milliseconds within the second.
Value duration_hours(Frame&, Arguments a) {
  return Value::integer(a[0].as_duration() / 3'600'000'000'000);
}
Value duration_minutes(Frame&, Arguments a) {
  return Value::integer(a[0].as_duration() / 60'000'000'000);
}
Value duration_seconds(Frame&, Arguments a) {
  return Value::integer(a[0].as_duration() / 1'000'000'000);
}
Value duration_milliseconds(Frame&, Arguments a) {
  return Value::integer(a[0].as_duration() / 1'000'000 % 1000);
}

constexpr FunctionRow kRows[] = {
    {"timestamp.getFullYear() -> int", full_year},
    {"timestamp.getFullYear(string) -> int", full_year},
    {"timestamp.getMonth() -> int", month},
    {"timestamp.getMonth(string) -> int", month},
    {"timestamp.getDayOfYear() -> int", day_of_year},
    {"timestamp.getDayOfYear(string) -> int", day_of_year},
    {"timestamp.getDayOfMonth() -> int", day_of_month},
    {"timestamp.getDayOfMonth(string) -> int", day_of_month},
    {"timestamp.getDate() -> int", date},
    {"timestamp.getDate(string) -> int", date},
    {"timestamp.getDayOfWeek() -> int", day_of_week},
    {"timestamp.getDayOfWeek(string) -> int", day_of_week},
    {"timestamp.getHours() -> int", hours},
    {"timestamp.getHours(string) -> int", hours},
    {"timestamp.getMinutes() -> int", minutes},
    {"timestamp.getMinutes(string) -> int", minutes},
    {"timestamp.getSeconds() -> int", seconds},
    {"timestamp.getSeconds(string) -> int", seconds},
    {"timestamp.getMilliseconds() -> int", milliseconds},
    {"timestamp.getMilliseconds(string) -> int", milliseconds},
    {"duration.getHours() -> int", duration_hours},
    {"duration.getMinutes() -> int", duration_minutes},
    {"duration.getSeconds() -> int", duration_seconds},
    {"duration.getMilliseconds() -> int", duration_milliseconds},
};

}  // namespace

std::span<const FunctionRow> time_rows() {
  return kRows;
}

}  // namespace berth::rules::cel
