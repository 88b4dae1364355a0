// Forged record: what `<prefix>/rules` on an object at its CREATE says that berth cannot have
// written: ids that no rule of the set has. In: the object after all rules were written. Out: the
// change that takes them out. Pure; part of webhook/admit.
#pragma once

#include "base/arena.h"
#include "kube/json.h"
#include "mutate/apply.h"
#include "webhook/admit.h"

namespace berth::webhook {

/// Takes unknown ids out of the records of the object and of the templates of `parts`, and says so;
/// a record of which nothing is left goes as a whole.
mutate::Outcome remove_forged_rules(const World& world, const std::vector<Part>& parts,
                                    kube::Json object, base::Arena& arena);

}  // namespace berth::webhook
