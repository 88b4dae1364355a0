// Expressions: compiles the CEL of rule files - conditions, variables, ${...} - into the programs
// of a rule set, with problems at the right line and column. Used by the loader, file by file and
// rule by rule; one thread.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "rules/cel/environment.h"
#include "rules/report.h"
#include "rules/rule.h"
#include "rules/schema.h"

namespace berth::rules {

class Expressions {
 public:
  /// Programs and variables are added to `set`, which must outlive this.
  Expressions(RuleSet& set, std::span<const std::string> levels);

  /// Declares the variables of a file (nullptr: none) for what follows; `name` is that of its set.
  void begin_file(const std::string& name, const base::YamlNode* variables, Report& report);
  /// Warns about variables of the file that nothing used.
  void end_file(Report& report);

  /// The same for the variables of one rule, which come on top of the file's.
  void begin_rule(const std::string& id, const base::YamlNode* variables, Report& report);
  void end_rule(Report& report);

  /// Compiles a scalar. `program` stays -1 where there is an error.
  Expression expression(const base::YamlNode& scalar, std::string_view expected, Report& report);

  /// Compiles the ${...} of a scalar that stands where `type` is wanted. Absent where there is an
  /// error.
  Template text(const base::YamlNode& scalar, const ValueType& type, Report& report);

  /// A condition failed to compile since this was asked last.
  bool take_failure();

 private:
  struct Declared {
    std::string name;
    const base::YamlNode* value = nullptr;
    std::size_t key_offset = 0;
    bool used = false;
    bool failed = false;
    enum class State { kNew, kBusy, kDone } state = State::kNew;
  };
  struct Scope {
    cel::Environment environment;
    std::string name;
    std::vector<Declared> variables;
  };

  void declare(const base::YamlNode* variables, Scope& scope, Report& report);
  void declare_one(std::size_t index, Scope& scope, std::vector<std::size_t>& path, Report& report);
  void report_cycle(std::size_t index, Scope& scope, const std::vector<std::size_t>& path,
                    Report& report);
  void report_unused(const Scope& scope, Report& report);
  Declared* find_variable(std::string_view name);
  /// Marks the variables that a text uses. False where one of them has a problem of its own.
  bool use_variables(std::string_view text);
  int compile(const base::YamlNode& scalar, std::size_t offset, std::string_view text,
              std::string_view expected, Report& report);

  RuleSet& set_;
  cel::Environment base_;
  Scope file_;
  std::optional<Scope> rule_;  // only where the rule has variables
  bool failure_ = false;
};

}  // namespace berth::rules
