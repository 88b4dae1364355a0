// Values of actions as short texts: for the proof of conflicts and its messages. Pure.
#pragma once

#include <optional>
#include <string>

#include "rules/rule.h"

namespace berth::rules {

/// The value of an assignment, so that equal effects have equal texts; nothing where only a request
/// can tell it (a ${...} in it). Containers that it goes to are part of it, unless they are those
/// with a GPU.
std::optional<std::string> constant_text(const Assignment& assignment, const Rule& rule);

}  // namespace berth::rules
