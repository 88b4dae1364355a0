// Words that people may write in `match` and that are most likely slips where they are not known:
// kinds of owners, frameworks, vendors. A word outside of these lists is never an error, since
// clusters know more than we do. Static data.
#pragma once

#include <span>
#include <string_view>

namespace berth::rules {

std::span<const std::string_view> known_owner_kinds();
std::span<const std::string_view> known_frameworks();
std::span<const std::string_view> known_vendors();

}  // namespace berth::rules
