#include "kube/selector.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace berth::kube {
namespace {

constexpr std::string_view kNodeNameField = "metadata.name";

bool has_value(Json values, std::string_view value) {
  const auto items = values.items();
  return std::any_of(items.begin(), items.end(), [&](const Json& item) {
    return item.is_string() && item.string_or_empty() == value;
  });
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool holds(Json requirement, const std::string_view* actual) {
  if (!is_requirement(requirement)) return false;
  const std::string_view op = requirement["operator"].string_or_empty();
  const Json values = requirement["values"];
  if (op == "In") return actual != nullptr && has_value(values, *actual);
  if (op == "NotIn") return actual == nullptr || !has_value(values, *actual);
  if (op == "Exists") return actual != nullptr;
  if (op == "DoesNotExist") return actual == nullptr;
  if (actual == nullptr) return false;
  const auto left = label_number(*actual);
  const auto right = label_number(values.at(0).string_or_empty());
  if (!left || !right) return false;
  return op == "Gt" ? *left > *right : *left < *right;
}

bool holds_in(Json requirement, Json labels) {
  const Json* value = labels.find(requirement["key"].string_or_empty());
  if (value == nullptr || !value->is_string()) return holds(requirement, nullptr);
  const std::string_view actual = value->string_or_empty();
  return holds(requirement, &actual);
}

bool maps_match(Json wanted, Json labels) {
  const auto members = wanted.members();
  return std::all_of(members.begin(), members.end(), [&](const JsonMember& member) {
    const Json* value = labels.find(member.key);
    return value != nullptr && value->is_string() && member.value.is_string() &&
           value->string_or_empty() == member.value.string_or_empty();
  });
}

std::string_view or_default(Json value, std::string_view fallback) {
  const std::string_view text = value.string_or_empty();
  return text.empty() ? fallback : text;
}

// The number that Gt and Lt of tolerations compare: unlike label_number, no "+1", "01" or "-0".
std::optional<std::int64_t> canonical_number(std::string_view text) {
  const auto number = label_number(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

// Every set of taints that `narrow` covers is covered by `wide`, time left aside.
bool covers_same_taints(Json wide, Json narrow) {
  const std::string_view wide_effect = wide["effect"].string_or_empty();
  if (!wide_effect.empty() && wide_effect != narrow["effect"].string_or_empty()) return false;
  const std::string_view wide_key = wide["key"].string_or_empty();
  const std::string_view wide_op = or_default(wide["operator"], "Equal");
  if (wide_key.empty()) return wide_op == "Exists";
  if (wide_key != narrow["key"].string_or_empty()) return false;
  if (wide_op == "Exists") return true;
  const std::string_view narrow_op = or_default(narrow["operator"], "Equal");
  return wide_op == narrow_op &&
         wide["value"].string_or_empty() == narrow["value"].string_or_empty();
}

}  // namespace

std::optional<std::int64_t> label_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool is_label_value(std::string_view text) {
  if (text.empty()) return true;
  const auto inside = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return text.size() <= 63 && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), inside);
}

bool is_requirement(Json requirement) {
  const std::string_view op = requirement["operator"].string_or_empty();
  const auto values = requirement["values"].items();
  const bool all_values = std::all_of(values.begin(), values.end(), [](const Json& value) {
    return value.is_string() && is_label_value(value.string_or_empty());
  });
  if (!all_values) return false;
  if (op == "In" || op == "NotIn") return !values.empty();
  if (op == "Exists" || op == "DoesNotExist") return values.empty();
  return (op == "Gt" || op == "Lt") && values.size() == 1;
}

bool label_selector_matches(Json selector, Json labels) {
  if (!maps_match(selector["matchLabels"], labels)) return false;
  for (const Json& requirement : selector["matchExpressions"].items()) {
    if (!holds_in(requirement, labels)) return false;
  }
  return true;
}

bool is_field_requirement(Json requirement) {
  const std::string_view op = requirement["operator"].string_or_empty();
  return requirement["key"].string_or_empty() == kNodeNameField && (op == "In" || op == "NotIn") &&
         requirement["values"].size() == 1;
}

bool field_holds(Json requirement, std::string_view node_name) {
  if (!is_field_requirement(requirement)) return false;
  const bool in = requirement["operator"].string_or_empty() == "In";
  return has_value(requirement["values"], node_name) == in;
}

bool requirement_holds(Json requirement, const std::string_view* actual) {
  return holds(requirement, actual);
}

bool requirement_matches(Json requirement, Json node_labels) {
  return holds_in(requirement, node_labels);
}

bool node_term_matches(Json term, Json node_labels, std::string_view node_name) {
  const auto expressions = term["matchExpressions"].items();
  const auto fields = term["matchFields"].items();
  if (expressions.empty() && fields.empty()) return false;
  for (const Json& requirement : expressions) {
    if (!holds_in(requirement, node_labels)) return false;
  }
  for (const Json& requirement : fields) {
    if (!field_holds(requirement, node_name)) return false;
  }
  return true;
}

bool node_affinity_matches(Json pod_spec, Json node_labels, std::string_view node_name) {
  if (!maps_match(pod_spec["nodeSelector"], node_labels)) return false;
  const Json required =
      pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (!required.is_object()) return true;
  const auto terms = required["nodeSelectorTerms"].items();
  return std::any_of(terms.begin(), terms.end(), [&](const Json& term) {
    return node_term_matches(term, node_labels, node_name);
  });
}

std::int64_t preferred_weight(Json pod_spec, Json node_labels, std::string_view node_name) {
  const Json preferred =
      pod_spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"];
  std::int64_t sum = 0;
  for (const Json& entry : preferred.items()) {
    // Weights are 1 to 100; anything else is refused by the API server and counts nothing here.
    const std::int64_t weight = entry["weight"].as_int().value_or(0);
    if (weight < 1 || weight > 100) continue;
    if (node_term_matches(entry["preference"], node_labels, node_name)) sum += weight;
  }
  return sum;
}

bool toleration_covers_taint(Json toleration, Json taint) {
  const std::string_view effect = toleration["effect"].string_or_empty();
  if (!effect.empty() && effect != taint["effect"].string_or_empty()) return false;
  const std::string_view key = toleration["key"].string_or_empty();
  if (!key.empty() && key != taint["key"].string_or_empty()) return false;
  const std::string_view op = or_default(toleration["operator"], "Equal");
  if (op == "Exists") return true;
  if (key.empty()) return false;
  const std::string_view value = toleration["value"].string_or_empty();
  const std::string_view actual = taint["value"].string_or_empty();
  if (op == "Equal") return value == actual;
  const auto left = canonical_number(actual);
  const auto right = canonical_number(value);
  if (!left || !right) return false;
  return (op == "Lt" && *left < *right) || (op == "Gt" && *left > *right);
}

bool tolerates_all(Json tolerations, Json taints) {
  for (const Json& taint : taints.items()) {
    const std::string_view effect = taint["effect"].string_or_empty();
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    const auto list = tolerations.items();
    const bool covered = std::any_of(list.begin(), list.end(), [&](const Json& toleration) {
      return toleration_covers_taint(toleration, taint);
    });
    if (!covered) return false;
  }
  return true;
}

bool toleration_covers(Json wide, Json narrow) {
  if (!covers_same_taints(wide, narrow)) return false;
  // Seconds only count for NoExecute; without them the taint is tolerated for good.
  const auto wide_seconds = wide["tolerationSeconds"].as_int();
  const auto narrow_seconds = narrow["tolerationSeconds"].as_int();
  const std::string_view effect = narrow["effect"].string_or_empty();
  if (!wide_seconds || (effect != "NoExecute" && !effect.empty())) return true;
  return narrow_seconds && *narrow_seconds <= *wide_seconds;
}

}  // namespace berth::kube
