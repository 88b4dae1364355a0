#include "rules/report.h"

#include <utility>

#include "base/display.h"

namespace berth::rules {

void Report::error(std::size_t offset, std::string_view code, std::string text, std::string hint) {
  ++errors_;
  add(base::Severity::kError, offset, code, std::move(text), std::move(hint));
}

void Report::warning(std::size_t offset, std::string_view code, std::string text,
                     std::string hint) {
  add(base::Severity::kWarning, offset, code, std::move(text), std::move(hint));
}

void Report::add(base::Severity severity, std::size_t offset, std::string_view code,
                 std::string text, std::string hint) {
  base::Problem problem = problem_at(source_, offset, std::string(code), std::move(text));
  problem.severity = severity;
  problem.hint = std::move(hint);
  problem.context = parent_;
  if (!key_.empty()) problem.context += (parent_.empty() ? "key " : ", key ") + key_;
  problems_.add(std::move(problem));
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t kLongest = 80;
  if (word.size() <= kLongest) return '\'' + std::string(word) + '\'';
  return '\'' + std::string(base::whole_characters(word, kLongest)) + "...'";
}

}  // namespace berth::rules
