// Evaluation of one program inside another: computed variables.
#pragma once

#include "rules/cel/frame.h"
#include "rules/cel/program.h"

namespace berth::rules::cel {

/// Evaluates a computed variable with an allowance of its own, which counts against the request.
Value evaluate_nested(const Program& program, Frame& frame);

}  // namespace berth::rules::cel
