#include "base/problem.h"

#include <algorithm>
#include <utility>

namespace berth::base {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

/// Cuts a long line to what stands around the column, which becomes the column in the rest.
std::string shortened(const std::string& line, int& column) {
  constexpr int kLongest = 160;
  constexpr int kBefore = 80;
  std::string out;
  const int first = std::max(1, column - kBefore);
  int at = 0;
  for (const char c : line) {
    if (starts_character(c)) ++at;
    if (at >= first && at < first + kLongest) out += c;
  }
  if (at >= first + kLongest) out += "...";
  if (first == 1) return out;
  column -= first - 4;
  return "..." + out;
}

void append_caret(std::string& out, const Problem& problem) {
  const std::string number = std::to_string(problem.place.line);
  int wanted = problem.place.column;
  const std::string line = shortened(problem.snippet, wanted);
  out += "\n  " + number + " | " + line;
  if (wanted < 1) return;
  out += "\n  " + std::string(number.size(), ' ') + " | ";
  int column = 1;
  for (std::size_t i = 0; i < line.size() && column < wanted; ++i) {
    if (!starts_character(line[i])) continue;
    out += line[i] == '\t' ? '\t' : ' ';
    ++column;
  }
  out += '^';
}

}  // namespace

std::string_view to_text(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

void Problems::append(Problems other) {
  list_.insert(list_.end(), std::make_move_iterator(other.list_.begin()),
               std::make_move_iterator(other.list_.end()));
}

bool Problems::has_errors() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Problem& p) { return p.severity == Severity::kError; });
}

bool Problems::has_warnings() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Problem& p) { return p.severity == Severity::kWarning; });
}

void Problems::sort() {
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Problem& a, const Problem& b) { return a.place < b.place; });
  list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
}

std::string to_text(const Problem& problem) {
  std::string out = to_text(problem.place);
  if (!out.empty()) out += ": ";
  out += std::string(to_text(problem.severity)) + ": " + problem.text;
  if (!problem.hint.empty()) out += "; " + problem.hint;
  if (!problem.context.empty()) out += " [" + problem.context + "]";
  if (!problem.snippet.empty() && problem.place.line > 0) append_caret(out, problem);
  return out;
}

Problem problem_at(const SourceText& source, std::size_t offset, std::string code,
                   std::string text) {
  Problem problem;
  problem.code = std::move(code);
  problem.place = source.place_at(offset);
  problem.text = std::move(text);
  problem.snippet = std::string(source.line(problem.place.line));
  return problem;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance =
      std::min<std::size_t>(2, word.size() / 3 + (word.size() < 3 ? 1 : 0)) + 1;
  for (std::string_view candidate : candidates) {
    const std::size_t distance =
        lower(word) == lower(candidate) ? 0 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  if (const auto near = nearest(word, candidates); !near.empty()) {
    return "did you mean '" + std::string(near) + "'?";
  }
  if (candidates.empty() || candidates.size() > 8) return {};
  std::string out = "expected one of ";
  for (std::size_t i = 0; i < candidates.size(); ++i)
    out += (i > 0 ? ", " : "") + std::string(candidates[i]);
  return out;
}

}  // namespace berth::base
