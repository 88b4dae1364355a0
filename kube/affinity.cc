#include "kube/affinity.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "kube/selector.h"

namespace berth::kube {
namespace {

constexpr std::size_t kQuotedValues = 3;

bool has(const std::vector<std::string_view>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// What one key of a node may be, after any number of requirements: absent, or a value.
class Domain {
 public:
  void forbid_absent() { absent_ = false; }

  void allow_only(const std::vector<std::string_view>& values) {
    if (!listed_) {
      allowed_ = values;
    } else {
      std::erase_if(allowed_, [&](std::string_view value) { return !has(values, value); });
    }
    listed_ = true;
  }

  void exclude(std::string_view value) { excluded_.push_back(value); }
  void above(std::int64_t bound) { above_ = std::max(above_.value_or(bound), bound); }
  void below(std::int64_t bound) { below_ = std::min(below_.value_or(bound), bound); }
  void forbid_all() {
    forbid_absent();
    allow_only({});
  }

  bool may_be_absent() const { return absent_; }
  bool is_listed() const { return listed_; }

  bool may_be(std::string_view value) const {
    if (listed_ && !has(allowed_, value)) return false;
    if (has(excluded_, value)) return false;
    if (!above_ && !below_) return true;
    const auto number = label_number(value);
    return number && (!above_ || *number > *above_) && (!below_ || *number < *below_);
  }

  // The values that are left of a list.
  std::vector<std::string_view> values() const {
    std::vector<std::string_view> out;
    std::copy_if(allowed_.begin(), allowed_.end(), std::back_inserter(out),
                 [&](std::string_view value) { return may_be(value); });
    return out;
  }

  bool has_value() const {
    if (listed_) {
      return std::any_of(allowed_.begin(), allowed_.end(),
                         [&](std::string_view value) { return may_be(value); });
    }
    if (!above_ && !below_) return true;
    // A label value cannot start with a sign, and a number has more forms ("4", "04") than anybody
    // excludes.
    const std::int64_t low = std::max<std::int64_t>(above_.value_or(-1), -1);
    return below_ ? *below_ > 0 && low < *below_ - 1
                  : low < std::numeric_limits<std::int64_t>::max();
  }

  bool is_empty() const { return !absent_ && !has_value(); }

 private:
  bool absent_ = true;
  bool listed_ = false;
  std::vector<std::string_view> allowed_;
  std::vector<std::string_view> excluded_;
  std::optional<std::int64_t> above_;
  std::optional<std::int64_t> below_;
};

std::vector<std::string_view> texts_of(Json values) {
  std::vector<std::string_view> out;
  for (const Json& value : values.items()) {
    if (value.is_string()) out.push_back(value.string_or_empty());
  }
  return out;
}

// Narrows a domain by a requirement of the author.
void narrow(Domain& domain, Json requirement) {
  const std::string_view op = requirement["operator"].string_or_empty();
  const std::vector<std::string_view> values = texts_of(requirement["values"]);
  if (op == "NotIn") {
    for (const std::string_view value : values) domain.exclude(value);
  } else if (op == "DoesNotExist") {
    domain.allow_only({});
  } else if (op == "In") {
    domain.forbid_absent();
    domain.allow_only(values);
  } else if (op == "Exists") {
    domain.forbid_absent();
  } else if (op == "Gt" || op == "Lt") {
    const bool one = requirement["values"].items().size() == 1 && values.size() == 1;
    const auto bound = one ? label_number(values.front()) : std::nullopt;
    domain.forbid_absent();
    if (!bound) {
      domain.forbid_all();
    } else if (op == "Gt") {
      domain.above(*bound);
    } else {
      domain.below(*bound);
    }
  } else {
    domain.forbid_all();  // an operator that Kubernetes does not know matches nothing
  }
}

// Narrows a domain by a requirement of ours.
void narrow(Domain& domain, const NodeRequirement& requirement) {
  const std::vector<std::string_view> values(requirement.values.begin(), requirement.values.end());
  switch (requirement.op) {
    case NodeOperator::kIn:
      domain.forbid_absent();
      domain.allow_only(values);
      break;
    case NodeOperator::kNotIn:
      for (const std::string_view value : values) domain.exclude(value);
      break;
    case NodeOperator::kExists:
      domain.forbid_absent();
      break;
    case NodeOperator::kDoesNotExist:
      domain.allow_only({});
      break;
  }
}

// Everything that the domain admits, the requirement admits.
bool implies(const Domain& domain, const NodeRequirement& requirement) {
  const auto is_wanted = [&](std::string_view value) {
    return std::find(requirement.values.begin(), requirement.values.end(), value) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case NodeOperator::kIn: {
      if (domain.may_be_absent()) return false;
      const auto values = domain.values();
      return domain.is_listed() && std::all_of(values.begin(), values.end(), is_wanted);
    }
    case NodeOperator::kNotIn:
      return std::none_of(requirement.values.begin(), requirement.values.end(),
                          [&](const std::string& value) { return domain.may_be(value); });
    case NodeOperator::kExists:
      return !domain.may_be_absent();
    case NodeOperator::kDoesNotExist:
      return !domain.has_value();
  }
  return false;
}

// Narrows by what a nodeSelector says of a key.
void narrow_by_selector(Domain& domain, Json selector, std::string_view key) {
  const Json* value = selector.find(key);
  if (value == nullptr) return;
  domain.forbid_absent();
  domain.allow_only(value->is_string() ? std::vector{value->string_or_empty()}
                                       : std::vector<std::string_view>{});
}

// What a term and the nodeSelector leave of a key.
Domain domain_of(Json term, Json selector, std::string_view key) {
  Domain out;
  narrow_by_selector(out, selector, key);
  for (const Json& requirement : term["matchExpressions"].items()) {
    if (requirement["key"].string_or_empty() == key) narrow(out, requirement);
  }
  return out;
}

// Some node could match the term and the nodeSelector.
bool can_match(Json term, Json selector) {
  const auto expressions = term["matchExpressions"].items();
  const auto fields = term["matchFields"].items();
  if (expressions.empty() && fields.empty()) return false;
  for (const Json& requirement : expressions) {
    if (!is_requirement(requirement)) return false;
    if (domain_of(term, selector, requirement["key"].string_or_empty()).is_empty()) return false;
  }
  Domain name;
  name.forbid_absent();
  for (const Json& requirement : fields) {
    if (!is_field_requirement(requirement)) return false;
    narrow(name, requirement);
  }
  return !name.is_empty();
}

std::string words_of(Json requirement) {
  std::string out(requirement["key"].string_or_empty());
  out.append(" ").append(requirement["operator"].string_or_empty());
  const auto values = texts_of(requirement["values"]);
  for (std::size_t i = 0; i < std::min(values.size(), kQuotedValues); ++i) {
    out.append(i == 0 ? " (" : ", ").append(values[i]);
  }
  if (values.size() > kQuotedValues) {
    out.append(" and ").append(std::to_string(values.size() - kQuotedValues)).append(" more");
  }
  return values.empty() ? out : out.append(")");
}

// The words of a term about a key: each one that excludes the requirement by itself, else all.
std::string words_against(Json term, Json selector, const NodeRequirement& requirement) {
  std::string all;
  std::string alone;
  if (const Json* value = selector.find(requirement.key)) {
    all = "nodeSelector " + requirement.key + "=" + std::string(value->string_or_empty());
  }
  for (const Json& expression : term["matchExpressions"].items()) {
    if (expression["key"].string_or_empty() != requirement.key) continue;
    Domain domain;
    narrow(domain, requirement);
    narrow(domain, expression);
    const std::string words = "required node affinity " + words_of(expression);
    all.append(all.empty() ? "" : " and ").append(words);
    if (domain.is_empty() && alone.empty()) alone = words;
  }
  return alone.empty() ? all : alone;
}

Judgement judge_terms(Json terms, Json selector, const NodeRequirement& requirement) {
  Judgement out;
  std::size_t open = 0;
  std::size_t implied = 0;
  std::size_t excluding = 0;
  for (const Json& term : terms.items()) {
    if (!can_match(term, selector)) {
      ++out.dead_terms;
      continue;
    }
    Domain domain = domain_of(term, selector, requirement.key);
    if (implies(domain, requirement)) ++implied;
    narrow(domain, requirement);
    if (!domain.is_empty()) {
      ++open;
    } else if (++excluding == 1) {
      out.against = words_against(term, selector, requirement);
    }
  }
  if (open == 0) {
    out.standing = Standing::kEmpties;
    if (out.against.empty()) out.against = "required node affinity that matches no node";
    if (excluding > 1) out.against += ", and the other terms";
    return out;
  }
  out.against.clear();
  const std::size_t alive = terms.items().size() - out.dead_terms;
  out.standing = implied == alive ? Standing::kImplied : Standing::kCompatible;
  return out;
}

}  // namespace

std::string_view to_text(NodeOperator op) {
  switch (op) {
    case NodeOperator::kIn:
      return "In";
    case NodeOperator::kNotIn:
      return "NotIn";
    case NodeOperator::kExists:
      return "Exists";
    case NodeOperator::kDoesNotExist:
      return "DoesNotExist";
  }
  return {};
}

Judgement judge(Json pod_spec, const NodeRequirement& requirement) {
  const Json selector = pod_spec["nodeSelector"];
  const Json required =
      pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];

  Domain domain;
  narrow(domain, requirement);
  if (domain.is_empty()) return {Standing::kEmpties, "the requirement itself, without a value", 0};
  narrow_by_selector(domain, selector, requirement.key);
  if (domain.is_empty()) return {Standing::kEmpties, words_against({}, selector, requirement), 0};
  if (required.is_object()) {
    return judge_terms(required["nodeSelectorTerms"], selector, requirement);
  }
  const Domain author = domain_of({}, selector, requirement.key);
  return {implies(author, requirement) ? Standing::kImplied : Standing::kCompatible, {}, 0};
}

bool contradicts(Json term, const NodeRequirement& requirement) {
  if (!can_match(term, {})) return true;
  Domain domain = domain_of(term, {}, requirement.key);
  narrow(domain, requirement);
  return domain.is_empty();
}

}  // namespace berth::kube
