#include "rules/form_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "kube/quantity.h"
#include "rules/cel/compile.h"
#include "rules/forms.h"
#include "rules/known_words.h"
#include "rules/parallelism.h"
#include "topology/catalog.h"

namespace berth::rules {
namespace {

using base::YamlNode;

template <typename T>
std::string fault_of(const base::Result<T>& result) {
  return result ? std::string{} : result.error().text;
}

std::string quantity_fault(std::string_view text) {
  const auto quantity = kube::Quantity::parse(text);
  if (!quantity) return quantity.error().text;
  return quantity->sign() > 0 ? "" : in_quotes(text) + " is not above zero";
}

/// Texts with a parser: what it has to say is a whole sentence.
struct Grammar {
  Form form;
  std::string (*fault)(std::string_view text);
};

constexpr std::array kParsed = {
    Grammar{Form::kGpus, [](std::string_view text) { return fault_of(parse_gpus(text)); }},
    Grammar{Form::kPercent, [](std::string_view text) { return fault_of(parse_percent(text)); }},
    Grammar{Form::kParallelism,
            [](std::string_view text) { return fault_of(parse_parallelism(text)); }},
    Grammar{Form::kDuration, [](std::string_view text) { return fault_of(parse_duration(text)); }},
    Grammar{Form::kTaint, [](std::string_view text) { return fault_of(parse_taint(text)); }},
    Grammar{Form::kQuantity, quantity_fault},
};

/// Names: the fault reads on behind the word in quotes.
constexpr std::array kNames = {
    Grammar{Form::kSetName, dns_label_fault},
    Grammar{Form::kNamespaceGlob, namespace_glob_fault},
    Grammar{Form::kLabelKey, label_key_fault},
    Grammar{Form::kAnnotationKey, label_key_fault},
    Grammar{Form::kLabelValue, label_value_fault},
    Grammar{Form::kLabelChoice,
            [](std::string_view text) {
              return text == "*" ? std::string{} : label_value_fault(text);
            }},
    Grammar{Form::kEnvName, env_name_fault},
    Grammar{Form::kVariableName, variable_name_fault},
    Grammar{Form::kObjectName, object_name_fault},
};

template <std::size_t N>
std::string fault_in(const std::array<Grammar, N>& table, Form form, std::string_view text) {
  for (const Grammar& row : table) {
    if (row.form == form) return row.fault(text);
  }
  return {};
}

void check_number(const YamlNode& node, std::string_view name, const ValueType& type,
                  const CheckOptions&, Report& report) {
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data(), end, value);
  const bool whole = type.form != Form::kInteger ||
                     node.text.find_first_not_of(
                         "0123456789", node.text.starts_with('-') ? 1 : 0) == std::string::npos;
  const std::string found = in_quotes(name) + " is " + in_quotes(node.text);
  if (read.ec != std::errc() || read.ptr != end || !whole || !node.plain) {
    report.error(node.offset, "wrong-type", found + "; expected " + expectation(type),
                 !node.plain && read.ptr == end && whole ? "write it without quotes" : "");
    return;
  }
  const bool low = value < static_cast<double>(type.low);
  const bool high = type.high != INT64_MAX && value > static_cast<double>(type.high);
  if (low || high) {
    report.error(node.offset, "out-of-range", found + "; expected " + expectation(type));
  }
}

void check_bool(const YamlNode& node, std::string_view name, const ValueType&, const CheckOptions&,
                Report& report) {
  if (node.plain && (node.text == "true" || node.text == "false")) return;
  report.error(node.offset, "wrong-type",
               in_quotes(name) + " is " + in_quotes(node.text) + "; expected true or false");
}

// All words of a closed list, however many; the near one first.
std::string words_instead(std::string_view word, std::span<const std::string_view> list) {
  const std::string_view near = base::nearest(word, list);
  if (!near.empty() && list.size() == 1) return base::suggestion(word, list);
  std::string out = near.empty() ? std::string() : base::suggestion(word, list) + ' ';
  out += list.size() == 1 ? "expected " : "expected one of ";
  for (std::size_t i = 0; i < list.size(); ++i) {
    out += (i > 0 ? ", " : "") + std::string(list[i]);
  }
  return out;
}

void check_word(const YamlNode& node, std::string_view name, const ValueType& type,
                const CheckOptions&, Report& report) {
  const auto list = words_of(type);
  if (std::find(list.begin(), list.end(), node.text) != list.end()) return;
  report.error(node.offset, "wrong-word",
               std::string(name) + ' ' + in_quotes(node.text) + " is not known",
               words_instead(node.text, list));
}

/// A word that is free, but near to one that we know.
template <std::span<const std::string_view> (*kKnown)()>
void check_near(const YamlNode& node, std::string_view name, const ValueType&, const CheckOptions&,
                Report& report) {
  const auto known = kKnown();
  if (node.text == "*") return;
  for (const std::string_view word : known) {
    if (word == node.text) return;
  }
  const std::string_view near = base::nearest(node.text, known);
  if (near.empty()) return;
  report.warning(node.offset, "unknown-word",
                 std::string(name) + ' ' + in_quotes(node.text) + " is not known",
                 base::suggestion(node.text, known));
}

void check_level(const YamlNode& node, std::string_view, const ValueType&,
                 const CheckOptions& options, Report& report) {
  std::vector<std::string_view> names;
  for (const std::string& level : options.levels) {
    if (level == node.text) return;
    names.push_back(level);
  }
  report.error(node.offset, "unknown-level", "level " + in_quotes(node.text) + " is not known",
               base::suggestion(node.text, names));
}

void check_product(const YamlNode& node, std::string_view, const ValueType&, const CheckOptions&,
                   Report& report) {
  if (topology::is_known_product(node.text)) return;
  report.warning(node.offset, "unknown-product",
                 "GPU product " + in_quotes(node.text) + " is not known",
                 base::suggestion(node.text, topology::product_families()));
}

void check_profile(const YamlNode& node, std::string_view, const ValueType&, const CheckOptions&,
                   Report& report) {
  if (const auto fault = profile_fault(node.text); !fault.empty()) {
    report.error(node.offset, "wrong-form", "profile: " + in_quotes(node.text) + ' ' + fault);
    return;
  }
  if (topology::is_known_profile(node.text)) return;
  report.warning(node.offset, "unknown-profile",
                 "no known GPU has the MIG profile " + in_quotes(node.text),
                 base::suggestion(node.text, topology::known_profiles()));
}

void check_expression(const YamlNode& node, std::string_view name, const ValueType&,
                      const CheckOptions&, Report& report) {
  if (node.text.find_first_not_of(" \t\n") == std::string::npos) {
    report.error(node.offset, "empty", in_quotes(name) + " is empty; expected a CEL expression");
  } else if (node.text.size() > cel::kMaxTextBytes) {
    report.error(node.offset, "too-large",
                 in_quotes(name) + " has " + std::to_string(node.text.size()) +
                     " bytes; at most 4096 are allowed");
  }
}

void check_template(const YamlNode& node, std::string_view name, const ValueType& type,
                    const CheckOptions& options, Report& report) {
  if (node.text.size() > cel::kMaxTextBytes) {
    check_expression(node, name, type, options, report);
  } else if (node.text.find("${") == std::string::npos) {
    ValueType constant = type;
    constant.form = type.constant;
    if (constant.form == Form::kInteger) constant.low = 1, constant.high = 1'000'000;
    check_scalar(node, name, constant, options, report);
  }
}

}  // namespace

std::string form_fault(Form form, std::string_view text) {
  return fault_in(kNames, form, text);
}

namespace {

struct Judge {
  Form form;
  void (*judge)(const YamlNode&, std::string_view name, const ValueType&, const CheckOptions&,
                Report&);
};

constexpr std::array kJudges = {
    Judge{Form::kInteger, check_number},
    Judge{Form::kNumber, check_number},
    Judge{Form::kBool, check_bool},
    Judge{Form::kWord, check_word},
    Judge{Form::kExpression, check_expression},
    Judge{Form::kTemplate, check_template},
    Judge{Form::kLevel, check_level},
    Judge{Form::kProduct, check_product},
    Judge{Form::kProfile, check_profile},
    Judge{Form::kVendor, check_near<known_vendors>},
    Judge{Form::kOwnerKind, check_near<known_owner_kinds>},
    Judge{Form::kFramework, check_near<known_frameworks>},
};

}  // namespace

void check_scalar(const YamlNode& node, std::string_view name, const ValueType& type,
                  const CheckOptions& options, Report& report) {
  for (const Judge& row : kJudges) {
    if (row.form == type.form) return row.judge(node, name, type, options, report);
  }
  if (const auto fault = fault_in(kParsed, type.form, node.text); !fault.empty()) {
    report.error(node.offset, "wrong-form", std::string(name) + ": " + fault);
  } else if (const auto name_fault = form_fault(type.form, node.text); !name_fault.empty()) {
    report.error(node.offset, "wrong-form",
                 std::string(name) + ": " + in_quotes(node.text) + ' ' + name_fault);
  }
}

}  // namespace berth::rules
