#include "rules/expressions.h"

#include <algorithm>
#include <utility>

#include "base/yaml_offset.h"
#include "rules/cel/compile.h"
#include "rules/environment.h"
#include "rules/forms.h"
#include "rules/template_parts.h"

namespace berth::rules {

using base::YamlMember;
using base::YamlNode;

Expressions::Expressions(RuleSet& set, std::span<const std::string> levels)
    : set_(set), base_(rule_environment(levels)), file_{base_, {}, {}} {}

// ------------------------------------------------------------------ variables

void Expressions::begin_file(const std::string& name, const YamlNode* variables, Report& report) {
  file_ = {base_, name, {}};
  rule_.reset();
  report.set_key("variables");
  declare(variables, file_, report);
  report.set_key({});
}

void Expressions::end_file(Report& report) {
  report_unused(file_, report);
}

void Expressions::begin_rule(const std::string& id, const YamlNode* variables, Report& report) {
  if (variables == nullptr) return;
  rule_.emplace(Scope{file_.environment, id, {}});
  report.set_key("variables");
  declare(variables, *rule_, report);
  report.set_key({});
}

void Expressions::end_rule(Report& report) {
  if (rule_) report_unused(*rule_, report);
  rule_.reset();
}

void Expressions::declare(const YamlNode* variables, Scope& scope, Report& report) {
  if (variables == nullptr) return;
  for (const YamlMember& member : variables->members) {
    if (!member.value.is_scalar() || !variable_name_fault(member.key).empty()) continue;
    const auto outer = std::find_if(file_.variables.begin(), file_.variables.end(),
                                    [&](const Declared& d) { return d.name == member.key; });
    if (&scope != &file_ && outer != file_.variables.end()) {
      report.error(member.key_offset, "duplicate-name",
                   "variable " + in_quotes(member.key) + " is one of the file already",
                   "give it another name");
      failure_ = true;
      continue;
    }
    const bool again = std::any_of(scope.variables.begin(), scope.variables.end(),
                                   [&](const Declared& d) { return d.name == member.key; });
    if (!again) {
      Declared& declared = scope.variables.emplace_back();
      declared.name = member.key;
      declared.value = &member.value;
      declared.key_offset = member.key_offset;
    }
  }
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < scope.variables.size(); ++i) declare_one(i, scope, path, report);
}

/// Declares the variable after those that it uses.
void Expressions::declare_one(std::size_t index, Scope& scope, std::vector<std::size_t>& path,
                              Report& report) {
  if (scope.variables[index].state == Declared::State::kDone) return;
  if (scope.variables[index].state == Declared::State::kBusy) {
    report_cycle(index, scope, path, report);
    return;
  }
  scope.variables[index].state = Declared::State::kBusy;
  path.push_back(index);
  const std::string& text = scope.variables[index].value->text;
  for (const std::string& used : cel::computed_names(text)) {
    for (std::size_t i = 0; i < scope.variables.size(); ++i) {
      if (scope.variables[i].name == used) declare_one(i, scope, path, report);
    }
  }
  path.pop_back();
  Declared& declared = scope.variables[index];
  declared.state = Declared::State::kDone;
  if (declared.failed) return;  // part of a circle
  Variable variable;
  variable.name = declared.name;
  variable.scope = scope.name;
  variable.value = expression(*declared.value, "dyn", report);
  variable.slot = static_cast<int>(set_.variables.size());
  declared.failed = variable.value.program < 0;
  if (declared.failed) return;
  const auto& program = set_.programs[static_cast<std::size_t>(variable.value.program)];
  scope.environment.declare_computed(declared.name, program, variable.slot);
  set_.variables.push_back(std::move(variable));
}

void Expressions::report_cycle(std::size_t index, Scope& scope,
                               const std::vector<std::size_t>& path, Report& report) {
  std::string circle;
  for (auto at = std::find(path.begin(), path.end(), index); at != path.end(); ++at) {
    circle += scope.variables[*at].name + " -> ";
    scope.variables[*at].failed = true;
  }
  report.error(scope.variables[index].key_offset, "variable-cycle",
               "variables use each other in a circle: " + circle + scope.variables[index].name);
  failure_ = true;
}

void Expressions::report_unused(const Scope& scope, Report& report) {
  if (report.errors() > 0) return;  // what is wrong may be the use
  for (const Declared& declared : scope.variables) {
    if (declared.used || declared.failed) continue;
    report.warning(declared.key_offset, "unused-variable",
                   "variable " + in_quotes(declared.name) + " is never used");
  }
}

Expressions::Declared* Expressions::find_variable(std::string_view name) {
  for (Scope* scope : {rule_ ? &*rule_ : nullptr, &file_}) {
    if (scope == nullptr) continue;
    for (Declared& declared : scope->variables) {
      if (declared.name == name) return &declared;
    }
  }
  return nullptr;
}

bool Expressions::use_variables(std::string_view text) {
  bool good = true;
  for (const std::string& name : cel::computed_names(text)) {
    Declared* declared = find_variable(name);
    if (declared == nullptr) continue;  // the compiler complains
    declared->used = true;
    good = good && !declared->failed;
  }
  return good;
}

// ------------------------------------------------------------------ texts

namespace {

/// What to do about an error at the end of an expression that YAML has cut at a " #".
std::string comment_hint(const base::SourceText& source, const YamlNode& scalar) {
  if (!scalar.plain) return {};
  const base::Place place = source.place_at(scalar.offset);
  const std::string_view line = source.line(place.line);
  const auto start = static_cast<std::size_t>(place.column - 1);
  const bool cut = start < line.size() && line.find(" #", start) != std::string_view::npos;
  return cut ? "quote the expression: it ends at ' #', where YAML sees a comment" : "";
}

}  // namespace

int Expressions::compile(const YamlNode& scalar, std::size_t offset, std::string_view text,
                         std::string_view expected, Report& report) {
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if ((blank && offset == 0) || text.size() > cel::kMaxTextBytes) {
    failure_ = true;  // the schema check has said so
    return -1;
  }
  if (!use_variables(text)) {
    failure_ = true;  // reported where the variable is
    return -1;
  }
  const cel::Environment& environment = rule_ ? rule_->environment : file_.environment;
  const cel::Compilation compiled = cel::compile(text, environment, expected);
  for (const cel::Diagnostic& diagnostic : compiled.diagnostics) {
    const std::size_t at = base::source_offset(report.source(), scalar, offset + diagnostic.begin);
    switch (diagnostic.severity) {
      case base::Severity::kError:
        report.error(at, diagnostic.code, diagnostic.text,
                     diagnostic.hint.empty() && diagnostic.code == "cel-syntax" &&
                             diagnostic.end >= text.size()
                         ? comment_hint(report.source(), scalar)
                         : diagnostic.hint);
        break;
      case base::Severity::kWarning:
      case base::Severity::kNote:
        report.warning(at, diagnostic.code, diagnostic.text, diagnostic.hint);
        break;
    }
  }
  if (compiled.program == nullptr || cel::has_errors(compiled.diagnostics)) {
    failure_ = true;
    return -1;
  }
  set_.programs.push_back(compiled.program);
  return static_cast<int>(set_.programs.size()) - 1;
}

Expression Expressions::expression(const YamlNode& scalar, std::string_view expected,
                                   Report& report) {
  Expression out;
  out.text = scalar.text;
  out.place = report.source().place_at(base::source_offset(report.source(), scalar, 0));
  out.program = compile(scalar, 0, scalar.text, expected, report);
  return out;
}

Template Expressions::text(const YamlNode& scalar, const ValueType& type, Report& report) {
  Template out;
  out.text = scalar.text;
  out.place = report.source().place_at(scalar.offset);
  const TemplateParts cut = template_parts(scalar.text);
  if (cut.unended) {
    report.error(base::source_offset(report.source(), scalar, *cut.unended), "template",
                 "no '}' ends this '${'");
    failure_ = true;
    return {};
  }
  bool good = true;
  for (const TemplatePart& part : cut.parts) {
    Template::Piece& piece = out.pieces.emplace_back();
    if (part.kind == TemplatePart::Kind::kLiteral) {
      piece.literal = part.text;
      continue;
    }
    const std::string_view expected = cut.parts.size() == 1 ? type.cel : "dyn";
    piece.program = compile(scalar, part.offset, part.text, expected, report);
    good = good && piece.program >= 0;
  }
  if (out.pieces.empty()) out.pieces.emplace_back();  // an empty text is a value, too
  return good ? out : Template{};
}

bool Expressions::take_failure() {
  return std::exchange(failure_, false);
}

}  // namespace berth::rules
