// Regular expressions of CEL: RE2's syntax, searched in linear time, never anchored by themselves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rules/cel/node.h"

namespace re2 {
class RE2;
}

namespace berth::rules::cel {

enum class RegexUse : std::uint8_t { kMatches, kFind, kFindAll };

/// Never null; ok() tells whether the pattern is valid. A program is at most RE2's own 8 MiB.
std::shared_ptr<const re2::RE2> compile_regex(std::string_view pattern);

/// Cost of a search in a text of so many bytes.
constexpr std::int64_t regex_units(std::size_t bytes) {
  return 2 + static_cast<std::int64_t>(bytes / 32);
}

/// `limit` is the most matches that findAll gives, all where negative.
Value run_regex(Frame& frame, const re2::RE2& regex, RegexUse use, Value text, Value limit);

/// A call with a pattern that was compiled at load. `limit` may be null.
NodePtr regex_node(RegexUse use, std::shared_ptr<const re2::RE2> regex, NodePtr text, NodePtr limit,
                   std::uint32_t at);

}  // namespace berth::rules::cel
