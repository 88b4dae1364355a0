#include "rules/cel/time.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

#include "rules/cel/failure.h"

namespace berth::rules::cel {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int64_t kDaySeconds = 86400;

// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, by 400-year eras that start
// in March.
std::int64_t days_of(std::int64_t year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t of_era = y - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in(std::int64_t year, int month) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Reads fixed fields from the front of a text.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  bool digits(std::size_t count, int* out) {
    if (text_.size() < count) return false;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + count, *out);
    if (error != std::errc() || end != text_.data() + count || text_[0] == '-') return false;
    text_.remove_prefix(count);
    return true;
  }
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Digits behind a point as nanoseconds; more than nine are cut.
  bool fraction(std::int32_t* nanos) {
    std::int32_t unit = 100'000'000;
    std::size_t count = 0;
    for (; count < text_.size() && text_[count] >= '0' && text_[count] <= '9'; ++count) {
      *nanos += unit * (text_[count] - '0');
      unit /= 10;
    }
    text_.remove_prefix(count);
    return count > 0;
  }
  bool done() const { return text_.empty(); }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

Value checked_timestamp(std::int64_t seconds, std::int32_t nanos) {
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return fail(kTimeRange);
  return Value::timestamp({seconds, nanos});
}

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00b5s", 1'000},
                                         {"\u03bcs", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", kNanos},
                                         {"m", 60 * kNanos},
                                         {"h", 3600 * kNanos}}};

// One "1.5h" of a duration, taken from the front.
bool take_part(std::string_view& text, __int128* total) {
  __int128 whole = 0;
  __int128 scaled = 0;  // fraction times scale
  __int128 scale = 1;
  std::size_t at = 0;
  bool any = false;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    any = true;
    if (whole < (__int128{1} << 80)) whole = whole * 10 + (text[at] - '0');
  }
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      any = true;
      if (scale >= 1'000'000'000'000'000) continue;
      scaled = scaled * 10 + (text[at] - '0');
      scale *= 10;
    }
  }
  if (!any) return false;
  auto end = at;
  while (end < text.size() && text[end] != '.' && (text[end] < '0' || text[end] > '9')) ++end;
  const auto unit = text.substr(at, end - at);
  text.remove_prefix(end);
  for (const auto& [name, nanos] : kUnits) {
    if (name != unit) continue;
    *total += whole * nanos + scaled * nanos / scale;
    return true;
  }
  return false;
}

Value moved(Timestamp time, std::int64_t nanos) {
  std::int64_t seconds = time.seconds + nanos / kNanos;
  std::int64_t rest = time.nanos + nanos % kNanos;
  if (rest < 0) {
    rest += kNanos;
    --seconds;
  } else if (rest >= kNanos) {
    rest -= kNanos;
    ++seconds;
  }
  return checked_timestamp(seconds, static_cast<std::int32_t>(rest));
}

Value between(Timestamp a, Timestamp b) {
  const __int128 nanos =
      static_cast<__int128>(a.seconds - b.seconds) * kNanos + (a.nanos - b.nanos);
  const auto out = static_cast<std::int64_t>(nanos);
  return out == nanos ? Value::duration(out) : fail(kDurationRange);
}

// ".5" for 500,000,000; nothing for 0.
void append_fraction(TimeText& out, std::int64_t nanos) {
  if (nanos == 0) return;
  out.size += static_cast<std::size_t>(std::snprintf(out.bytes.data() + out.size,
                                                     out.bytes.size() - out.size, ".%09lld",
                                                     static_cast<long long>(nanos)));
  while (out.bytes[out.size - 1] == '0') --out.size;
}

}  // namespace

Value parse_timestamp(std::string_view text) {
  Fields fields(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int32_t nanos = 0;
  const bool shaped = fields.digits(4, &year) && fields.take('-') && fields.digits(2, &month) &&
                      fields.take('-') && fields.digits(2, &day) && fields.take('T') &&
                      fields.digits(2, &hour) && fields.take(':') && fields.digits(2, &minute) &&
                      fields.take(':') && fields.digits(2, &second);
  if (!shaped || month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour > 23 ||
      minute > 59 || second > 59) {
    return fail(kBadTimestamp);
  }
  if (fields.take('.') && !fields.fraction(&nanos)) return fail(kBadTimestamp);
  std::int64_t offset = 0;
  if (!fields.take('Z')) {
    const bool west = fields.take('-');
    int offset_hour = 0;
    int offset_minute = 0;
    if ((!west && !fields.take('+')) || !fields.digits(2, &offset_hour) || !fields.take(':') ||
        !fields.digits(2, &offset_minute) || offset_hour > 24 || offset_minute > 60) {
      return fail(kBadTimestamp);
    }
    offset = (west ? -1 : 1) * (offset_hour * 3600 + offset_minute * 60);
  }
  if (!fields.done()) return fail(kBadTimestamp);
  const auto seconds =
      days_of(year, month, day) * kDaySeconds + hour * 3600 + minute * 60 + second - offset;
  return checked_timestamp(seconds, nanos);
}

CivilTime civil_time(std::int64_t seconds) {
  CivilTime out;
  std::int64_t days = seconds / kDaySeconds;
  std::int64_t rest = seconds % kDaySeconds;
  if (rest < 0) {
    rest += kDaySeconds;
    --days;
  }
  out.hour = static_cast<int>(rest / 3600);
  out.minute = static_cast<int>(rest / 60 % 60);
  out.second = static_cast<int>(rest % 60);
  out.day_of_week = static_cast<int>(((days + 4) % 7 + 7) % 7);
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  out.day = static_cast<int>(of_year - (153 * month + 2) / 5 + 1);
  out.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
  out.day_of_year = static_cast<int>(days - days_of(out.year, 1, 1));
  return out;
}

TimeText timestamp_text(Timestamp time) {
  const CivilTime c = civil_time(time.seconds);
  TimeText out;
  out.size = static_cast<std::size_t>(
      std::snprintf(out.bytes.data(), out.bytes.size(), "%04d-%02d-%02dT%02d:%02d:%02d",
                    static_cast<int>(c.year), c.month, c.day, c.hour, c.minute, c.second));
  append_fraction(out, time.nanos);
  out.bytes[out.size++] = 'Z';
  return out;
}

Value parse_duration(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return Value::duration(0);
  if (text.empty()) return fail(kBadDuration);
  __int128 total = 0;
  while (!text.empty()) {
    if (!take_part(text, &total)) return fail(kBadDuration);
  }
  if (negative) total = -total;
  const auto out = static_cast<std::int64_t>(total);
  return out == total ? Value::duration(out) : fail(kDurationRange);
}

TimeText duration_text(std::int64_t nanoseconds) {
  const auto seconds = nanoseconds / kNanos;
  const auto rest = nanoseconds % kNanos;
  TimeText out;
  out.size = static_cast<std::size_t>(std::snprintf(out.bytes.data(), out.bytes.size(), "%s%lld",
                                                    nanoseconds < 0 && seconds == 0 ? "-" : "",
                                                    static_cast<long long>(seconds)));
  append_fraction(out, rest < 0 ? -rest : rest);
  out.bytes[out.size++] = 's';
  return out;
}

Value time_arithmetic(Op op, Value a, Value b) {
  std::int64_t nanos = 0;
  if (a.is(Kind::kDuration) && b.is(Kind::kDuration)) {
    const bool over = op == Op::kAdd
                          ? __builtin_add_overflow(a.as_duration(), b.as_duration(), &nanos)
                          : __builtin_sub_overflow(a.as_duration(), b.as_duration(), &nanos);
    return over ? fail(kDurationRange) : Value::duration(nanos);
  }
  if (a.is(Kind::kTimestamp) && b.is(Kind::kDuration)) {
    if (op == Op::kAdd) return moved(a.as_timestamp(), b.as_duration());
    if (b.as_duration() == std::numeric_limits<std::int64_t>::min()) return fail(kDurationRange);
    return moved(a.as_timestamp(), -b.as_duration());
  }
  if (a.is(Kind::kDuration) && b.is(Kind::kTimestamp) && op == Op::kAdd) {
    return moved(b.as_timestamp(), a.as_duration());
  }
  if (a.is(Kind::kTimestamp) && b.is(Kind::kTimestamp) && op == Op::kSubtract) {
    return between(a.as_timestamp(), b.as_timestamp());
  }
  return fail(kNoSuchOverload);
}

std::optional<std::int64_t> zone_offset(std::string_view zone) {
  if (zone.empty() || zone == "UTC" || zone == "Z") return 0;
  const bool west = zone[0] == '-';
  if (west || zone[0] == '+') zone.remove_prefix(1);
  const auto colon = zone.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Fields fields(zone);
  int hours = 0;
  int minutes = 0;
  if (colon < 1 || colon > 2 || !fields.digits(colon, &hours) || !fields.take(':') ||
      !fields.digits(2, &minutes) || !fields.done() || hours > 23 || minutes > 59) {
    return std::nullopt;
  }
  return (west ? -1 : 1) * (hours * 3600 + minutes * 60);
}

}  // namespace berth::rules::cel
