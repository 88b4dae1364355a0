#include "rules/cel/regex.h"

#include <utility>

#include <re2/re2.h>

#include "rules/cel/utf8.h"

namespace berth::rules::cel {
namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Matches from the left, none overlapping; an empty one right behind another does not count.
class Matches {
 public:
  Matches(const re2::RE2& regex, std::string_view text) : regex_(regex), text_(text) {}

  bool next(std::string_view* found) {
    while (at_ <= text_.size()) {
      re2::StringPiece match;
      if (!regex_.Match(piece(text_), at_, text_.size(), re2::RE2::UNANCHORED, &match, 1)) {
        at_ = text_.size() + 1;
        return false;
      }
      const auto begin = static_cast<std::size_t>(match.data() - text_.data());
      const bool empty = match.empty();
      const bool behind_another = empty && begin == last_end_;
      at_ = begin + match.size();
      if (empty) at_ += at_ < text_.size() ? utf8_step(text_.substr(at_)) : 1;
      if (behind_another) continue;
      last_end_ = begin + match.size();
      *found = text_.substr(begin, match.size());
      return true;
    }
    return false;
  }

 private:
  const re2::RE2& regex_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t last_end_ = static_cast<std::size_t>(-1);
};

Value find_all(Frame& frame, const re2::RE2& regex, std::string_view text, std::int64_t limit) {
  const auto most = limit < 0 ? text.size() + 1 : static_cast<std::size_t>(limit);
  std::size_t count = 0;
  std::string_view found;
  for (Matches matches(regex, text); count < most && matches.next(&found);) {
    ++count;
    if (!frame.spend(1)) return fail(kCostLimit);
  }
  const auto items = frame.make_items(count);
  if (items.data() == nullptr) return fail(kCostLimit);
  Matches matches(regex, text);
  for (auto& item : items) {
    matches.next(&found);
    item = Value::string(found);
  }
  return Value::list(items);
}

class RegexNode final : public Node {
 public:
  RegexNode(RegexUse use, std::shared_ptr<const re2::RE2> regex, NodePtr text, NodePtr limit,
            std::uint32_t at)
      : use_(use),
        regex_(std::move(regex)),
        text_(std::move(text)),
        limit_(std::move(limit)),
        at_(at) {}
  Value evaluate(Frame& frame) const override {
    const Value text = text_->evaluate(frame);
    if (text.is_error()) return text;
    const Value limit = limit_ == nullptr ? Value::integer(-1) : limit_->evaluate(frame);
    if (limit.is_error()) return limit;
    if (!text.is(Kind::kString) || !limit.is(Kind::kInt)) {
      return fail(kNoSuchOverload).at_offset(at_);
    }
    return run_regex(frame, *regex_, use_, text, limit).at_offset(at_);
  }

 private:
  RegexUse use_;
  std::shared_ptr<const re2::RE2> regex_;
  NodePtr text_;
  NodePtr limit_;
  std::uint32_t at_;
};

}  // namespace

std::shared_ptr<const re2::RE2> compile_regex(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return std::make_shared<const re2::RE2>(piece(pattern), options);
}

Value run_regex(Frame& frame, const re2::RE2& regex, RegexUse use, Value text, Value limit) {
  if (!frame.spend(regex_units(text.size()))) return fail(kCostLimit);
  switch (use) {
    case RegexUse::kMatches:
      return Value::boolean(
          regex.Match(piece(text.text()), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0));
    case RegexUse::kFind: {
      std::string_view found;
      Matches(regex, text.text()).next(&found);
      return Value::string(found);
    }
    case RegexUse::kFindAll:
      return find_all(frame, regex, text.text(), limit.as_int());
  }
  return fail(kNoSuchOverload);
}

NodePtr regex_node(RegexUse use, std::shared_ptr<const re2::RE2> regex, NodePtr text, NodePtr limit,
                   std::uint32_t at) {
  return std::make_unique<RegexNode>(use, std::move(regex), std::move(text), std::move(limit), at);
}

}  // namespace berth::rules::cel
