// Forms: the small texts of rule files - GPU ranges, shares, durations, taints, names and label
// values - read and judged as Kubernetes does. Errors say what was expected, without the place.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/rule.h"

namespace berth::rules {

/// A whole number without sign, blanks or leading plus.
std::optional<std::int64_t> parse_count(std::string_view text);

/// "8", ">=2", "<=4", ">2", "<8", "2-4". The range may be empty ("8-4").
base::Result<GpuRange> parse_gpus(std::string_view text);

/// "25%", "2.5%": the number.
base::Result<double> parse_percent(std::string_view text);

/// A Go duration such as "10m" or "1h30m", in seconds; above zero.
base::Result<double> parse_duration(std::string_view text);

/// `kubectl taint` notation: key, key=value, key:Effect, key=value:Effect.
base::Result<Toleration> parse_taint(std::string_view text);

// What is wrong with a text, or empty where nothing is.
std::string label_key_fault(std::string_view key);
std::string label_value_fault(std::string_view value);
std::string env_name_fault(std::string_view name);
/// DNS label: lower-case letters, digits and '-', at most 63.
std::string dns_label_fault(std::string_view name);
/// DNS subdomain: DNS labels with dots, at most 253.
std::string object_name_fault(std::string_view name);
/// A namespace name in which '*' stands for any run of characters.
std::string namespace_glob_fault(std::string_view glob);
std::string variable_name_fault(std::string_view name);
/// "1g.10gb", "1g.10gb+me", "1g.10gb.me".
std::string profile_fault(std::string_view profile);

/// "gpu-baseline" of "rules/01-gpu-baseline.yaml". Never empty, always a DNS label.
std::string set_name_of(std::string_view path);

}  // namespace berth::rules
