#include "rules/forms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "kube/selector.h"
#include "rules/report.h"

namespace berth::rules {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_alnum(char c) {
  return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z');
}

bool all_of(std::string_view text, bool (*test)(char)) {
  return std::all_of(text.begin(), text.end(), test);
}

bool is_dns_label(std::string_view text) {
  const auto inside = [](char c) { return is_digit(c) || is_lower(c) || c == '-'; };
  return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
         all_of(text, inside);
}

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > 253) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string too_long(std::size_t length, int limit) {
  return "has " + std::to_string(length) + " characters, at most " + std::to_string(limit) +
         " are allowed";
}

base::Error bad_gpus(std::string_view text) {
  return base::invalid(in_quotes(text) +
                       " is no number of GPUs; expected a number or a text such as \">=2\" or "
                       "\"2-4\"");
}

// Seconds of a Go duration's unit, longest names first.
constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{
    {"ns", 1e-9},
    {"us", 1e-6},
    {"\xC2\xB5s", 1e-6},
    {"ms", 1e-3},
    {"s", 1},
    {"m", 60},
    {"h", 3600},
    {"\xCE\xBCs", 1e-6},
}};

// Reads digits with an optional fraction; removes them from the text.
std::optional<double> take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + end, value);
  if (end == 0 || read.ec != std::errc() || read.ptr != text.data() + end) return std::nullopt;
  text.remove_prefix(end);
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (text.empty() || !is_digit(text.front()) || !whole) return std::nullopt;
  return value;
}

base::Result<GpuRange> parse_gpus(std::string_view text) {
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto low = parse_count(text.substr(0, dash));
    const auto high = parse_count(text.substr(dash + 1));
    if (!low || !high) return bad_gpus(text);
    return GpuRange{*low, *high};
  }
  const std::size_t digits = std::min(text.find_first_not_of("<>="), text.size());
  const std::string_view sign = text.substr(0, digits);
  const auto count = parse_count(text.substr(digits));
  if (!count) return bad_gpus(text);
  if (sign.empty()) return GpuRange{*count, *count};
  if (sign == ">=") return GpuRange{*count, INT64_MAX};
  if (sign == "<=") return GpuRange{0, *count};
  if (sign == ">" && *count < INT64_MAX) return GpuRange{*count + 1, INT64_MAX};
  if (sign == "<") return GpuRange{0, *count - 1};
  return bad_gpus(text);
}

base::Result<double> parse_percent(std::string_view text) {
  std::string_view rest = text;
  const auto value = take_number(rest);
  if (!value || rest != "%" || *value > 100) {
    return base::invalid(in_quotes(text) + " is no share; expected a text from 0% to 100%");
  }
  return *value;
}

base::Result<double> parse_duration(std::string_view text) {
  const base::Error error = base::invalid(in_quotes(text) +
                                          " is no duration above zero; expected a text such as "
                                          "10m or 1h30m");
  double total = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto number = take_number(rest);
    if (!number) return error;
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& entry) {
      return rest.starts_with(entry.first);
    });
    if (unit == kUnits.end()) return error;
    total += *number * unit->second;
    rest.remove_prefix(unit->first.size());
  }
  if (total <= 0) return error;
  return total;
}

base::Result<Toleration> parse_taint(std::string_view text) {
  Toleration out;
  std::string_view rest = text;
  if (const std::size_t colon = rest.rfind(':'); colon != std::string_view::npos) {
    out.effect = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (out.effect != "NoSchedule" && out.effect != "PreferNoSchedule" &&
        out.effect != "NoExecute") {
      return base::invalid("effect " + in_quotes(out.effect) +
                           " is not known; expected one of NoSchedule, PreferNoSchedule, "
                           "NoExecute");
    }
  }
  if (const std::size_t equals = rest.find('='); equals != std::string_view::npos) {
    out.op = "Equal";
    out.value = rest.substr(equals + 1);
    rest = rest.substr(0, equals);
    if (const auto fault = label_value_fault(out.value); !fault.empty()) {
      return base::invalid("value " + in_quotes(out.value) + " of the taint " + fault);
    }
  }
  out.key = rest;
  if (const auto fault = label_key_fault(out.key); !fault.empty()) {
    return base::invalid("key " + in_quotes(out.key) + " of the taint " + fault);
  }
  return out;
}

std::string label_key_fault(std::string_view key) {
  const std::size_t slash = key.find('/');
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  if (slash != std::string_view::npos && !is_dns_subdomain(key.substr(0, slash))) {
    return "has a prefix that is no DNS name";
  }
  if (name.size() > 63)
    return "has a name of " + std::to_string(name.size()) + " characters, at most 63 are allowed";
  if (!name.empty() && kube::is_label_value(name)) return {};
  return "is no label key; expected letters, digits, '-', '_' and '.', after an optional DNS "
         "prefix and '/'";
}

std::string label_value_fault(std::string_view value) {
  if (value.size() > 63) return too_long(value.size(), 63);
  if (kube::is_label_value(value)) return {};
  return "is no label value; expected letters, digits, '-', '_' and '.', with a letter or digit at "
         "both ends";
}

std::string env_name_fault(std::string_view name) {
  const auto inside = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
  if (!name.empty() && !is_digit(name.front()) && all_of(name, inside)) return {};
  return "is no name of an environment variable; expected letters, digits, '_', '-' and '.', not "
         "starting with a digit";
}

std::string dns_label_fault(std::string_view name) {
  if (name.size() > 63) return too_long(name.size(), 63);
  if (is_dns_label(name)) return {};
  return "is no name; expected lower-case letters, digits and '-', with a letter or digit at both "
         "ends";
}

std::string object_name_fault(std::string_view name) {
  if (name.size() > 253) return too_long(name.size(), 253);
  if (is_dns_subdomain(name)) return {};
  return "is no name of an object; expected lower-case letters, digits, '-' and '.'";
}

std::string namespace_glob_fault(std::string_view glob) {
  const auto inside = [](char c) { return is_digit(c) || is_lower(c) || c == '-' || c == '*'; };
  if (!glob.empty() && glob.size() <= 63 && all_of(glob, inside) && glob.front() != '-' &&
      glob.back() != '-') {
    return {};
  }
  return "is no namespace; expected lower-case letters, digits and '-', with '*' for any run of "
         "them";
}

std::string variable_name_fault(std::string_view name) {
  const auto inside = [](char c) { return is_alnum(c) || c == '_'; };
  if (!name.empty() && !is_digit(name.front()) && all_of(name, inside)) return {};
  return "is no name of a variable; expected letters, digits and '_', not starting with a digit";
}

std::string profile_fault(std::string_view profile) {
  const std::string expected = "is no MIG profile; expected a text such as 1g.10gb or 3g.40gb";
  std::string_view rest = profile;
  for (const std::string_view unit : {"g.", "gb"}) {
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    if (digits == 0 || digits > 4 || !rest.substr(digits).starts_with(unit)) return expected;
    rest.remove_prefix(digits + unit.size());
  }
  if (rest.empty()) return {};
  const bool extended = (rest.front() == '+' || rest.front() == '.') && rest.size() > 1 &&
                        all_of(rest.substr(1), [](char c) { return is_lower(c) || c == '.'; });
  return extended ? std::string{} : expected;
}

std::string set_name_of(std::string_view path) {
  if (const auto slash = path.rfind('/'); slash != std::string_view::npos)
    path.remove_prefix(slash + 1);
  if (const auto dot = path.find('.'); dot != std::string_view::npos && dot > 0)
    path = path.substr(0, dot);
  const std::size_t digits = std::min(path.find_first_not_of("0123456789"), path.size());
  if (digits < path.size() && (path[digits] == '-' || path[digits] == '_'))
    path.remove_prefix(digits + 1);
  std::string name;
  for (const char c : path.substr(0, 63)) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool good = is_digit(small) || is_lower(small);
    if (good || !name.empty()) name += good ? small : '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "rules" : name;
}

}  // namespace berth::rules
