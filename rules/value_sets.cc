#include "rules/value_sets.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "rules/match.h"

namespace berth::rules {
namespace {

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace

// ------------------------------------------------------------------ texts

TextSet::TextSet(bool all_but, std::vector<std::string> texts)
    : all_but_(all_but), texts_(sorted(std::move(texts))) {}

bool TextSet::contains(std::string_view text) const {
  return std::binary_search(texts_.begin(), texts_.end(), text) != all_but_;
}

TextSet TextSet::intersect(const TextSet& other) const {
  std::vector<std::string> out;
  const auto into = std::back_inserter(out);
  const auto& a = texts_;
  const auto& b = other.texts_;
  if (all_but_ && other.all_but_) {
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), into);
    return all_but(std::move(out));
  }
  if (all_but_) {
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), into);
  } else if (other.all_but_) {
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), into);
  } else {
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), into);
  }
  return only(std::move(out));
}

bool TextSet::overlaps(const TextSet& other) const {
  if (all_but_ && other.all_but_) return true;
  if (all_but_) return other.overlaps(*this);
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](const std::string& text) { return other.contains(text); });
}

std::string TextSet::pick(std::string_view preferred) const {
  if (contains(preferred)) return std::string(preferred);
  if (!all_but_) {
    const auto real = std::find_if(texts_.begin(), texts_.end(),
                                   [](const std::string& t) { return !t.empty() && t != kAbsent; });
    return real == texts_.end() ? texts_.front() : *real;
  }
  for (int i = 1;; ++i) {
    std::string text = std::string(preferred) + "-" + std::to_string(i);
    if (preferred.empty() || preferred == kAbsent) text = "other-" + std::to_string(i);
    if (contains(text)) return text;
  }
}

std::uint64_t TextSet::mask() const {
  if (all_but_) return ~std::uint64_t{0};
  std::uint64_t mask = 0;
  for (const std::string& text : texts_) {
    mask |= std::uint64_t{1} << (std::hash<std::string>()(text) % 64);
  }
  return mask;
}

// ------------------------------------------------------------------ numbers

CountSet CountSet::range(std::int64_t low, std::int64_t high) {
  low = std::max<std::int64_t>(low, 0);
  std::vector<Interval> intervals;
  if (low <= high) intervals.emplace_back(low, high);
  return CountSet(std::move(intervals));
}

bool CountSet::contains(std::int64_t number) const {
  return std::any_of(intervals_.begin(), intervals_.end(), [&](const Interval& interval) {
    return interval.first <= number && number <= interval.second;
  });
}

CountSet CountSet::complement() const {
  std::vector<Interval> out;
  std::int64_t next = 0;
  for (const auto& [low, high] : intervals_) {
    if (next < low) out.emplace_back(next, low - 1);
    if (high == INT64_MAX) return CountSet(std::move(out));
    next = high + 1;
  }
  out.emplace_back(next, INT64_MAX);
  return CountSet(std::move(out));
}

CountSet CountSet::intersect(const CountSet& other) const {
  std::vector<Interval> out;
  for (const Interval& a : intervals_) {
    for (const Interval& b : other.intervals_) {
      const std::int64_t low = std::max(a.first, b.first);
      const std::int64_t high = std::min(a.second, b.second);
      if (low <= high) out.emplace_back(low, high);
    }
  }
  std::sort(out.begin(), out.end());
  return CountSet(std::move(out));
}

bool CountSet::overlaps(const CountSet& other) const {
  return std::any_of(intervals_.begin(), intervals_.end(), [&](const Interval& a) {
    return std::any_of(other.intervals_.begin(), other.intervals_.end(), [&](const Interval& b) {
      return a.first <= b.second && b.first <= a.second;
    });
  });
}

// ------------------------------------------------------------------ namespaces

namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_valid_name(std::string_view name) {
  return !name.empty() && name.size() <= 63 && is_letter_or_digit(name.front()) &&
         is_letter_or_digit(name.back());
}

/// All globs of a set at once, read letter by letter.
class NameSearch {
 public:
  explicit NameSearch(const GlobSet& set) {
    for (const auto& group : set.groups) {
      for (const std::string& glob : group) globs_.push_back({glob, groups_});
      ++groups_;
    }
    for (const std::string& glob : set.none) globs_.push_back({glob, kNone});
    for (const Glob& glob : globs_) letters_ += glob.text;
    letters_.erase(std::remove(letters_.begin(), letters_.end(), '*'), letters_.end());
    std::sort(letters_.begin(), letters_.end());
    letters_.erase(std::unique(letters_.begin(), letters_.end()), letters_.end());
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
    const std::size_t unnamed = kLetters.find_first_not_of(letters_);  // by any glob
    if (unnamed != std::string_view::npos) letters_.insert(letters_.begin(), kLetters[unnamed]);
  }

  /// The shortest valid name, or nothing; `gave_up` is set where there are too many states.
  std::optional<std::string> shortest(bool& gave_up) {
    State start{std::vector<std::uint64_t>(globs_.size()), false};
    for (std::size_t g = 0; g < globs_.size(); ++g) start.reached[g] = closed(globs_[g], 1);
    visit(start, 0, 0);
    for (std::size_t at = 0; at < states_.size(); ++at) {
      if (accepts(states_[at].state)) return text_of(at);
      if (states_.size() > kMostStates) {
        gave_up = true;
        return std::nullopt;
      }
      step(at);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMostStates = 4000;

  struct Glob {
    std::string text;
    std::size_t group = 0;
  };
  struct State {
    std::vector<std::uint64_t> reached;  // per glob: bit i, the first i letters are matched
    bool may_end = false;                // the last letter may end a name

    auto operator<=>(const State&) const = default;
  };
  struct Visited {
    State state;
    std::size_t from = 0;
    char letter = 0;
  };

  /// With everything that is reached by passing over stars.
  static std::uint64_t closed(const Glob& glob, std::uint64_t bits) {
    for (std::size_t i = 0; i < glob.text.size(); ++i) {
      if (glob.text[i] == '*' && (bits >> i & 1U) != 0) bits |= std::uint64_t{2} << i;
    }
    return bits;
  }

  static std::uint64_t after(const Glob& glob, std::uint64_t bits, char letter) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < glob.text.size(); ++i) {
      if ((bits >> i & 1U) == 0) continue;
      if (glob.text[i] == '*') out |= std::uint64_t{1} << i;
      if (glob.text[i] == letter) out |= std::uint64_t{2} << i;
    }
    return closed(glob, out);
  }

  bool is_matched(std::size_t g, const State& state) const {
    return (state.reached[g] >> globs_[g].text.size() & 1U) != 0;
  }

  bool accepts(const State& state) const {
    if (!state.may_end) return false;
    std::vector<bool> held(groups_);
    for (std::size_t g = 0; g < globs_.size(); ++g) {
      if (!is_matched(g, state)) continue;
      if (globs_[g].group == kNone) return false;
      held[globs_[g].group] = true;
    }
    return std::find(held.begin(), held.end(), false) == held.end();
  }

  void step(std::size_t at) {
    const bool first = at == 0;
    for (const char letter : letters_) {
      if (first && !is_letter_or_digit(letter)) continue;
      State next{std::vector<std::uint64_t>(globs_.size()), is_letter_or_digit(letter)};
      for (std::size_t g = 0; g < globs_.size(); ++g) {
        next.reached[g] = after(globs_[g], states_[at].state.reached[g], letter);
      }
      visit(std::move(next), at, letter);
    }
  }

  void visit(State state, std::size_t from, char letter) {
    if (seen_.insert(state).second) states_.push_back({std::move(state), from, letter});
  }

  std::string text_of(std::size_t at) const {
    std::string out;
    for (; at != 0; at = states_[at].from) out += states_[at].letter;
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::vector<Glob> globs_;
  std::size_t groups_ = 0;
  std::string letters_;
  std::vector<Visited> states_;
  std::set<State> seen_;
};

bool is_plain_group(const std::vector<std::string>& group) {
  return std::all_of(group.begin(), group.end(),
                     [](const std::string& glob) { return glob.find('*') == std::string::npos; });
}

bool contains(const GlobSet& set, std::string_view name) {
  const auto matches = [&](const std::string& glob) { return glob_matches(glob, name); };
  return is_valid_name(name) && std::none_of(set.none.begin(), set.none.end(), matches) &&
         std::all_of(set.groups.begin(), set.groups.end(), [&](const auto& group) {
           return std::any_of(group.begin(), group.end(), matches);
         });
}

}  // namespace

namespace {

/// False only where no text matches both: their fixed starts or ends differ.
bool may_meet(std::string_view a, std::string_view b) {
  const std::size_t star_a = a.find('*');
  const std::size_t star_b = b.find('*');
  if (star_a == std::string_view::npos) return glob_matches(b, a);
  if (star_b == std::string_view::npos) return glob_matches(a, b);
  const std::size_t starts = std::min(star_a, star_b);
  const std::size_t ends = std::min(a.size() - a.rfind('*'), b.size() - b.rfind('*')) - 1;
  return a.substr(0, starts) == b.substr(0, starts) &&
         a.substr(a.size() - ends) == b.substr(b.size() - ends);
}

bool groups_may_meet(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const std::string& other) { return may_meet(one, other); });
  });
}

/// The glob with each star as a short text: mostly a name that it matches.
std::string filled(std::string_view glob, std::string_view star) {
  std::string out;
  for (const char c : glob) {
    if (c == '*') {
      out += star;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool GlobSet::is_surely_disjoint(const GlobSet& other) const {
  return std::any_of(groups.begin(), groups.end(), [&](const auto& a) {
    return std::any_of(other.groups.begin(), other.groups.end(),
                       [&](const auto& b) { return !groups_may_meet(a, b); });
  });
}

bool GlobSet::is_plain() const {
  return std::all_of(groups.begin(), groups.end(), is_plain_group);
}

std::optional<std::string> GlobSet::example() const {
  if (contains(*this, "team-a")) return "team-a";
  for (const auto& group : groups) {
    if (!is_plain_group(group)) continue;
    for (const std::string& name : group) {
      if (contains(*this, name)) return name;
    }
    return std::nullopt;
  }
  for (const auto& group : groups) {
    for (const std::string& glob : group) {
      for (const char* star : {"", "a"}) {
        if (std::string name = filled(glob, star); contains(*this, name)) return name;
      }
    }
  }
  bool gave_up = false;
  const auto found = NameSearch(*this).shortest(gave_up);
  if (gave_up) return "team-a";
  return found && is_valid_name(*found) ? found : std::nullopt;
}

}  // namespace berth::rules
