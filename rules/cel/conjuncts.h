// Conjuncts: the parts of a condition's top-level `&&`, what the proof of conflicts can use of
// each, and what an explanation shows of it.
#pragma once

#include "rules/cel/builder.h"
#include "rules/cel/program_parts.h"

namespace berth::rules::cel {

/// Fills `conjuncts` and `explained` of the parts of a built program.
void find_conjuncts(Program::Parts& parts, Builder& builder);

}  // namespace berth::rules::cel
