#include "rules/problem_codes.h"

#include <array>

namespace berth::rules {
namespace {

using base::Severity;

constexpr std::array kCodes = {
    ProblemCode{"alias", Severity::kError, "an anchor, an alias or a merge key of YAML"},
    ProblemCode{"blanket-toleration", Severity::kWarning, "a toleration of every taint"},
    ProblemCode{"careless-share", Severity::kWarning,
                "a slice or share for pods of any number of GPUs: give `gpus` in the match"},
    ProblemCode{"cel-constant", Severity::kError, "a constant part of an expression always fails"},
    ProblemCode{"cel-cost", Severity::kError, "an expression may cost more than its budget"},
    ProblemCode{"cel-limit", Severity::kError, "an expression is too long or nested too deep"},
    ProblemCode{"cel-pod-field", Severity::kWarning, "a field that pods are not known to have"},
    ProblemCode{"cel-regex", Severity::kError, "a pattern that is none, too large or not constant"},
    ProblemCode{"cel-syntax", Severity::kError, "an expression that is no CEL"},
    ProblemCode{"cel-type", Severity::kError,
                "types that do not go together, or a result of another type"},
    ProblemCode{"cel-unavailable", Severity::kError, "a function of CEL that berth leaves out"},
    ProblemCode{"cel-unknown-field", Severity::kError, "a field that the facts do not have"},
    ProblemCode{"cel-unknown-function", Severity::kError, "a function that does not exist"},
    ProblemCode{"cel-unknown-name", Severity::kError, "a name that is not declared"},
    ProblemCode{"conflict", Severity::kError, "two rules could give one field two values"},
    ProblemCode{"conflict-in-audit", Severity::kWarning,
                "the same, where one of the rules is only in audit yet"},
    ProblemCode{"covered-rule", Severity::kWarning,
                "an earlier rule of a `first` file takes every pod of this one"},
    ProblemCode{"duplicate-key", Severity::kError, "a key twice in one mapping"},
    ProblemCode{"duplicate-name", Severity::kError, "two rules, sets or variables of one name"},
    ProblemCode{"empty", Severity::kError, "a mapping, list or text with nothing in it"},
    ProblemCode{"empty-match", Severity::kWarning, "no pod can ever match"},
    ProblemCode{"exclusive-keys", Severity::kError, "keys that exclude or need each other"},
    ProblemCode{"level-order", Severity::kWarning, "levels that are not listed from near to far"},
    ProblemCode{"missing-key", Severity::kError, "a key that must be there is not"},
    ProblemCode{"no-band", Severity::kWarning, "a file in no directory of `precedenceBands`"},
    ProblemCode{"not-rules", Severity::kNote, "a document of another kind, left out"},
    ProblemCode{"out-of-range", Severity::kError, "a number outside of its range"},
    ProblemCode{"precedence-band", Severity::kError,
                "a precedence that the file's directory may not use"},
    ProblemCode{"reserved-key", Severity::kError,
                "a label or annotation in which berth keeps its record"},
    ProblemCode{"set-path", Severity::kError, "a path that `set` cannot write"},
    ProblemCode{"syntax", Severity::kError, "a text that is no YAML"},
    ProblemCode{"template", Severity::kError, "a ${...} without an end"},
    ProblemCode{"too-large", Severity::kError, "a file, text or nesting above the limit"},
    ProblemCode{"two-schedulers", Severity::kWarning,
                "rules that send pods for the same nodes to several schedulers"},
    ProblemCode{"unknown-key", Severity::kError, "a key that is not in the table"},
    ProblemCode{"unknown-level", Severity::kError, "a topology level that is not configured"},
    ProblemCode{"unknown-object", Severity::kWarning,
                "a class or queue that the cluster of `--cluster` does not have"},
    ProblemCode{"unknown-product", Severity::kWarning, "a GPU product that is not known"},
    ProblemCode{"unknown-profile", Severity::kWarning, "a MIG profile that no known GPU has"},
    ProblemCode{"unknown-word", Severity::kWarning,
                "a kind, framework or vendor that looks misspelt"},
    ProblemCode{"unused-variable", Severity::kWarning, "a variable that nothing uses"},
    ProblemCode{"variable-cycle", Severity::kError, "variables that use each other in a circle"},
    ProblemCode{"wrong-form", Severity::kError, "a text that its grammar does not allow"},
    ProblemCode{"wrong-name", Severity::kError, "a key of a mapping that is no such name"},
    ProblemCode{"wrong-type", Severity::kError, "a value of another type"},
    ProblemCode{"wrong-word", Severity::kError, "a word outside of its list"},
};

}  // namespace

std::span<const ProblemCode> problem_codes() {
  return kCodes;
}

}  // namespace berth::rules
