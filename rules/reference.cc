#include "rules/reference.h"

#include <string_view>

#include "base/problem.h"
#include "rules/activation.h"
#include "rules/problem_codes.h"

namespace berth::rules {
namespace {

// A bar would end the cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return '`' + std::string(text) + '`';
}

// "a mapping" with the section that tells its keys.
std::string taken(const ValueType& type) {
  std::string out = cell(expectation(type));
  if (type.form == Form::kObject)
    out += " ([" + std::string(type.of) + "](#" + std::string(type.of) + "))";
  return out;
}

std::string row(const Key& key) {
  std::string out = "| " + code(key.name) + " | " + taken(key.type);
  if (key.other.form != Form::kNothing) out += ", or " + taken(key.other);
  out += " | ";
  if (key.need == Need::kRequired) {
    out += "required";
  } else {
    out += cell(key.fallback);
  }
  return out + " | " + cell(key.help) + " |\n";
}

std::string section(const ObjectType& object) {
  std::string out = "### " + std::string(object.name) + "\n\n" + std::string(object.help) +
                    "\n\n| key | takes | default | meaning |\n|---|---|---|---|\n";
  for (const Key& key : object.keys) out += row(key);
  return out + '\n';
}

// A closed type of conditions: its fields, then its functions.
std::string closed_type(std::string_view title, std::string_view help,
                        const cel::StructType& type) {
  std::string out = "### " + std::string(title) + "\n\n" + std::string(help) +
                    "\n\n| expression | type |\n|---|---|\n";
  for (const cel::FieldRow& field : type.fields) {
    out += "| " + code(field.name) + " | " + std::string(field.type) + " |\n";
  }
  for (const cel::MethodRow& method : type.methods) {
    std::string call = std::string(method.name) + '(';
    for (const std::string_view parameter : method.parameters) {
      call += (call.back() == '(' ? "" : ", ") + std::string(parameter);
    }
    out += "| " + code(call + ')') + " | " + std::string(method.result) + " |\n";
  }
  return out + '\n';
}

std::string closed_types() {
  return closed_type("workload", "What conditions can ask of the workload, as `workload.gpus`.",
                     workload_type()) +
         closed_type(
             "topology",
             "What they can ask of the cluster, for this workload: `topology.fits('rack')`. "
             "A level is one of the configured names.",
             topology_type()) +
         closed_type("domain", "One item of `topology.domains(level)`.", domain_type());
}

std::string codes() {
  std::string out =
      "### Problem codes\n\nWhat `berth check` can say about rule files, as `code` in its JSON "
      "form.\n\n| code | severity | meaning |\n|---|---|---|\n";
  for (const ProblemCode& row : problem_codes()) {
    out += "| " + code(row.code) + " | " + std::string(base::to_text(row.severity)) + " | " +
           cell(row.meaning) + " |\n";
  }
  return out + '\n';
}

}  // namespace

std::string reference(SchemaKind kind) {
  std::string out;
  for (const ObjectType& object : schema(kind)) out += section(object);
  switch (kind) {
    case SchemaKind::kRuleSet:
      return out + closed_types() + codes();
    case SchemaKind::kRuleTest:
    case SchemaKind::kConfig:
      return out;
  }
  return out;
}

}  // namespace berth::rules
