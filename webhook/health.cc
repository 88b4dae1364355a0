#include "webhook/health.h"

#include <algorithm>
#include <utility>

namespace berth::webhook {

void Health::add(std::string name, std::function<ConditionState()> condition) {
  conditions_.push_back({std::move(name), std::move(condition)});
}

bool Health::ready() const {
  return std::all_of(conditions_.begin(), conditions_.end(), [](const Condition& condition) {
    return condition.state().ready == ConditionState::Ready::kYes;
  });
}

std::string Health::verbose() const {
  std::string out;
  bool all = true;
  for (const Condition& condition : conditions_) {
    const ConditionState state = condition.state();
    const bool ready = state.ready == ConditionState::Ready::kYes;
    all = all && ready;
    out += (ready ? "[+]" : "[-]") + condition.name + (ready ? " ok" : " not ready");
    if (!state.note.empty()) out += ": " + state.note;
    out += '\n';
  }
  return out + (all ? "ready\n" : "not ready\n");
}

}  // namespace berth::webhook
