#include "rules/cel/fuse.h"

#include "rules/cel/builder.h"

namespace berth::rules::cel {

NodePtr fuse(Expr&, Builder&) {
  return nullptr;
}

}  // namespace berth::rules::cel
