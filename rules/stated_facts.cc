#include "rules/stated_facts.h"

namespace berth::rules {

void overlay(Facts& facts, const StatedFacts& stated) {
  if (!stated.kind.empty()) facts.kind = stated.kind;
  if (stated.framework) facts.framework = *stated.framework;
  if (stated.pods == 0) return;
  facts.pods = stated.pods;
  facts.pods_known = true;
  facts.gpu_pods = stated.pods;
  facts.total_gpus = facts.gpus * stated.pods;
}

}  // namespace berth::rules
