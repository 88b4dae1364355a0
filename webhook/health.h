// Health: readiness as a list of named conditions. Conditions are added at start-up; asking is safe
// from every thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace berth::webhook {

/// What one condition says now. An empty reason with ready == false reads "not ready".
struct ConditionState {
  enum class Ready : bool { kNo = false, kYes = true } ready = Ready::kYes;
  std::string note;
};

class Health {
 public:
  void add(std::string name, std::function<ConditionState()> condition);

  /// All conditions hold.
  bool ready() const;

  /// A line a condition: "[+]rules ok: 8 rules" or "[-]rules not ready: ...", then the sum, as the
  /// API server's own /readyz?verbose prints them.
  std::string verbose() const;

 private:
  struct Condition {
    std::string name;
    std::function<ConditionState()> state;
  };
  std::vector<Condition> conditions_;
};

}  // namespace berth::webhook
