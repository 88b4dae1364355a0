#include "kube/quantity.h"

#include <algorithm>
#include <array>
#include <limits>

namespace berth::kube {
namespace {

struct Suffix {
  std::string_view text;
  int decimal;  // power of ten
  int binary;   // power of two
};

constexpr std::array kSuffixes = {
    Suffix{"", 0, 0},    Suffix{"m", -3, 0},  Suffix{"k", 3, 0},   Suffix{"M", 6, 0},
    Suffix{"G", 9, 0},   Suffix{"T", 12, 0},  Suffix{"P", 15, 0},  Suffix{"E", 18, 0},
    Suffix{"Ki", 0, 10}, Suffix{"Mi", 0, 20}, Suffix{"Gi", 0, 30}, Suffix{"Ti", 0, 40},
    Suffix{"Pi", 0, 50}, Suffix{"Ei", 0, 60}, Suffix{"u", -6, 0},  Suffix{"n", -9, 0},
};
constexpr std::array<std::string_view, 10> kDecimalNames = {"n", "u", "m", "",  "k",
                                                            "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinaryNames = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

// Exponents beyond this behave alike: the value is the largest, or the smallest that is not zero.
constexpr std::int64_t kExponentLimit = 1'000'000;
constexpr std::size_t kQuotedBytes = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A quantity taken apart: sign, digits around the point, and the power they are multiplied with.
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t decimal = 0;
  int binary = 0;
};

std::string_view take_digits(std::string_view& rest) {
  const auto end =
      static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin());
  const std::string_view digits = rest.substr(0, end);
  rest.remove_prefix(end);
  return digits;
}

bool take_sign(std::string_view& rest) {
  if (rest.empty() || (rest.front() != '-' && rest.front() != '+')) return false;
  const bool negative = rest.front() == '-';
  rest.remove_prefix(1);
  return negative;
}

std::optional<std::int64_t> read_exponent(std::string_view text) {
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) value = std::min(value * 10 + (c - '0'), kExponentLimit);
  return negative ? -value : value;
}

std::optional<Parts> take_apart(std::string_view text) {
  Parts parts;
  parts.negative = take_sign(text);
  parts.whole = take_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != text) continue;
    parts.decimal = suffix.decimal;
    parts.binary = suffix.binary;
    return parts;
  }
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  const auto exponent = read_exponent(text.substr(1));
  if (!exponent) return std::nullopt;
  parts.decimal = *exponent;
  return parts;
}

// The digits of the parts as one row.
char digit_at(const Parts& parts, std::size_t index) {
  return index < parts.whole.size() ? parts.whole[index]
                                    : parts.fraction[index - parts.whole.size()];
}

std::string reason(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.find_first_of(" \t\r\n") != std::string_view::npos) return "has a blank in it";
  if (text.find(',') != std::string_view::npos) return "has a comma in it";
  std::string_view rest = text;
  take_sign(rest);
  const bool digits = !take_digits(rest).empty();
  if (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
  if (!digits && take_digits(rest).empty()) return "does not start with a number";
  take_digits(rest);
  if (rest.size() == 2 && rest[1] == 'B') {
    const std::string letter(1, rest[0] == 'K' ? 'k' : rest[0]);
    return "has the unit '" + std::string(rest) + "'; did you mean '" + letter + "' or '" +
           std::string(1, rest[0] == 'k' ? 'K' : rest[0]) + "i'?";
  }
  if (rest.size() == 3 && rest.substr(1) == "iB") {
    return "has the unit '" + std::string(rest) + "'; did you mean '" +
           std::string(rest.substr(0, 2)) + "'?";
  }
  return "has the unit '" + std::string(rest.substr(0, kQuotedBytes)) + "'";
}

base::Error no_quantity(std::string_view text) {
  std::string out = "'";
  out.append(text.substr(0, kQuotedBytes));
  if (text.size() > kQuotedBytes) out.append("...");
  out.append("' is no quantity: it ").append(reason(text));
  return base::invalid(
      std::move(out.append("; write a number and a suffix, like 500m, 2 or 18Gi")));
}

}  // namespace

base::Result<Quantity> Quantity::parse(std::string_view text) {
  const auto parts = take_apart(text);
  if (!parts) return no_quantity(text);
  const Nano unit = static_cast<Nano>(kNano) << parts->binary;

  // Most amounts are a few digits that need no rounding.
  constexpr std::size_t kFewDigits = 9;
  if (parts->fraction.empty() && parts->decimal == 0 && parts->whole.size() <= kFewDigits) {
    std::int64_t few = 0;
    for (const char c : parts->whole) few = few * 10 + (c - '0');
    const Nano nano = std::min<Nano>(few * unit, kLargest);
    return from_nano(parts->negative ? -nano : nano);
  }

  const std::size_t count = parts->whole.size() + parts->fraction.size();
  const std::int64_t point = static_cast<std::int64_t>(parts->whole.size()) + parts->decimal;

  // Left of the point: digits, then the zeros that an exponent appends.
  const Nano limit = kLargest / unit;
  Nano whole = 0;
  for (std::int64_t i = 0; i < point && whole <= limit; ++i) {
    const bool written = i < static_cast<std::int64_t>(count);
    if (!written && whole == 0) break;
    whole = whole * 10 + (written ? digit_at(*parts, static_cast<std::size_t>(i)) - '0' : 0);
  }
  // Right of it, from the last digit to the first, so that each step is an exact floor and only
  // the remainder has to be remembered for rounding up.
  Nano rest = 0;
  bool remainder = false;
  const auto step = [&](int digit) {
    rest += digit * unit;
    remainder = remainder || rest % 10 != 0;
    rest /= 10;
  };
  for (auto i = static_cast<std::int64_t>(count); i > std::max<std::int64_t>(point, 0);) {
    step(digit_at(*parts, static_cast<std::size_t>(--i)) - '0');
  }
  for (std::int64_t i = point; i < 0 && rest != 0; ++i) step(0);

  const Nano nano = whole > limit ? kLargest : whole * unit + rest + (remainder ? 1 : 0);
  return from_nano(parts->negative ? -nano : nano);
}

base::Result<Quantity> Quantity::parse(Json value) {
  if (value.is_string()) return parse(value.string_or_empty());
  if (value.is_number()) return parse(value.number_text());
  return base::invalid("a " + std::string(kube::to_text(value.type())) +
                       " is no quantity; write a number and a suffix, like 500m, 2 or 18Gi");
}

std::optional<std::int64_t> Quantity::whole() const {
  if (nano_ % kNano != 0) return std::nullopt;
  return static_cast<std::int64_t>(nano_ / kNano);
}

std::int64_t Quantity::rounded_up() const {
  const Nano up = nano_ > 0 && nano_ % kNano != 0 ? 1 : 0;
  return static_cast<std::int64_t>(nano_ / kNano + up);
}

double Quantity::as_double() const {
  if (nano_ % kNano == 0) return static_cast<double>(nano_ / kNano);
  return static_cast<double>(nano_) / static_cast<double>(kNano);
}

std::string Quantity::to_text(Form form) const {
  if (nano_ == 0) return "0";
  constexpr Nano kKibi = static_cast<Nano>(kNano) * 1024;
  Nano number = nano_;
  std::string_view suffix;
  const bool small = nano_ > -kKibi && nano_ < kKibi;
  if (form == Form::kBinary && !small && nano_ % kNano == 0) {
    number /= kNano;
    std::size_t power = 0;
    for (; power + 1 < kBinaryNames.size() && number % 1024 == 0; ++power) number /= 1024;
    suffix = kBinaryNames[power];
  } else {
    std::size_t power = 0;
    for (; power + 1 < kDecimalNames.size() && number % 1000 == 0; ++power) number /= 1000;
    suffix = kDecimalNames[power];
  }
  // At most 28 digits; two halves that fit 64 bits.
  constexpr std::int64_t kHalf = 1'000'000'000'000'000'000;
  const Nano positive = number < 0 ? -number : number;
  std::string out = number < 0 ? "-" : "";
  const auto high = static_cast<std::int64_t>(positive / kHalf);
  const std::string low = std::to_string(static_cast<std::int64_t>(positive % kHalf));
  if (high != 0) out.append(std::to_string(high)).append(18 - low.size(), '0');
  out.append(low).append(suffix);
  return out;
}

std::string canonical_quantity(std::string_view text) {
  const auto value = Quantity::parse(text);
  if (!value) return std::string(text);
  const bool binary = text.back() == 'i';
  std::string out = value->to_text(binary ? Quantity::Form::kBinary : Quantity::Form::kDecimal);
  // A text with a decimal exponent keeps that form: "1e3", not "1k". A lone E is the suffix.
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == std::string_view::npos || exponent + 1 == text.size() || binary) return out;
  const std::string_view name(out.data() + out.size() - 1, 1);
  const auto found = std::find(kDecimalNames.begin(), kDecimalNames.end(), name);
  if (found == kDecimalNames.end()) return out;
  out.pop_back();
  return out + "e" + std::to_string((found - kDecimalNames.begin() - 3) * 3);
}

}  // namespace berth::kube
