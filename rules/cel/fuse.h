// Fusing: nodes for the shapes that conditions are made of, `fact op constant` above all. They give
// what the plain nodes give, with fewer calls.
#pragma once

#include "rules/cel/ast.h"
#include "rules/cel/node.h"

namespace berth::rules::cel {

class Builder;

/// A fused node for the tree, or nullptr where its shape is none of those.
NodePtr fuse(Expr& expr, Builder& builder);

}  // namespace berth::rules::cel
