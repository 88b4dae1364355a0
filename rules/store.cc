#include "rules/store.h"

#include <utility>

namespace berth::rules {
namespace {

// All names, texts and read failures in one string: equal exactly when nothing that matters has
// changed.
std::string everything_seen(const std::vector<base::SourceText>& texts,
                            const base::Problems& problems) {
  std::string out;
  const auto add = [&out](const std::string& part) {
    out += std::to_string(part.size()) + ':' + part;
  };
  for (const base::SourceText& text : texts) {
    add(text.name());
    add(text.text());
  }
  for (const base::Problem& problem : problems.list()) add(to_text(problem));
  return out;
}

std::shared_ptr<const LoadFailure> failure_of(base::Problems problems) {
  return std::make_shared<const LoadFailure>(LoadFailure{std::move(problems)});
}

}  // namespace

Store::Store(ReadTexts read, LoadOptions options)
    : read_(std::move(read)), options_(std::move(options)) {}

Refresh Store::refresh() {
  base::Problems problems;
  const std::vector<base::SourceText> texts = read_(problems);
  std::string seen = everything_seen(texts, problems);
  if (seen == seen_) return Refresh::kUnchanged;
  seen_ = std::move(seen);
  if (problems.has_errors()) {
    failure_.swap(failure_of(std::move(problems)));
    return Refresh::kRefused;
  }
  LoadResult result = load(texts, options_);
  if (result.rules == nullptr) {
    failure_.swap(failure_of(std::move(result.problems)));
    return Refresh::kRefused;
  }
  published_.swap(std::move(result.rules));
  warnings_.swap(failure_of(std::move(result.problems)));
  failure_.swap(nullptr);
  return Refresh::kReplaced;
}

}  // namespace berth::rules
