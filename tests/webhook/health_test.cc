#include "webhook/health.h"

#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

TEST(Health, IsReadyWhenAllConditionsAre) {
  Health health;
  ConditionState rules{ConditionState::Ready::kNo, "not loaded"};
  health.add("rules", [&rules] { return rules; });
  health.add("certificate", [] { return ConditionState{}; });
  EXPECT_FALSE(health.ready());
  EXPECT_EQ(health.verbose(), "[-]rules not ready: not loaded\n[+]certificate ok\nnot ready\n");
  rules = {ConditionState::Ready::kYes, "8 rules"};
  EXPECT_TRUE(health.ready());
  EXPECT_EQ(health.verbose(), "[+]rules ok: 8 rules\n[+]certificate ok\nready\n");
}

}  // namespace
}  // namespace berth::webhook
