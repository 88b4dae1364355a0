// Testing one match against facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rules/facts.h"
#include "rules/rule.h"

namespace berth::rules {

/// All keys of the match hold.
bool holds(const Match& match, const Facts& facts);

/// The same for an entry of `except`: only the keys that are given count. (In a match, absent
/// `gpus` and `operations` have a meaning of their own.)
bool excepts(const Match& except, const Facts& facts);

/// The first key that does not hold, as users read it: "gpus: wants >=2, has 1"; empty when all
/// hold.
std::string first_failure(const Match& match, const Facts& facts);

/// The keys of an entry of `except` that excepts this workload, as users read them:
/// "except.namespaces: excepts team-*, has team-a".
std::string exception_text(const Match& except, const Facts& facts);

/// `*` stands for any run of characters.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace berth::rules
