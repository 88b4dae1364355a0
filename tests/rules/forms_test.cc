#include "rules/forms.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::rules {
namespace {

TEST(Forms, ReadGpuRanges) {
  EXPECT_EQ(*parse_gpus("8"), (GpuRange{8, 8}));
  EXPECT_EQ(*parse_gpus("0"), (GpuRange{0, 0}));
  EXPECT_EQ(*parse_gpus(">=2"), (GpuRange{2, INT64_MAX}));
  EXPECT_EQ(*parse_gpus(">2"), (GpuRange{3, INT64_MAX}));
  EXPECT_EQ(*parse_gpus("<=4"), (GpuRange{0, 4}));
  EXPECT_EQ(*parse_gpus("<4"), (GpuRange{0, 3}));
  EXPECT_EQ(*parse_gpus("2-4"), (GpuRange{2, 4}));
  EXPECT_EQ(*parse_gpus("8-4"), (GpuRange{8, 4})) << "empty, which is a warning elsewhere";
  for (const char* bad : {"", "two", "-1", "1-", ">", "=>2", "1.5", " 1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_gpus(bad)) << bad;
  }
}

TEST(Forms, ReadShares) {
  EXPECT_EQ(*parse_percent("25%"), 25);
  EXPECT_EQ(*parse_percent("2.5%"), 2.5);
  EXPECT_EQ(*parse_percent("0%"), 0);
  for (const char* bad : {"", "%", "25", "150%", "-1%", "1.2.3%", "25 %"}) {
    EXPECT_FALSE(parse_percent(bad)) << bad;
  }
}

TEST(Forms, ReadDurations) {
  EXPECT_EQ(*parse_duration("10m"), 600);
  EXPECT_EQ(*parse_duration("1h30m"), 5400);
  EXPECT_EQ(*parse_duration("1.5s"), 1.5);
  EXPECT_EQ(*parse_duration("250ms"), 0.25);
  for (const char* bad : {"", "10", "10 m", "m", "-1s", "0s", "1d"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Forms, ReadTaints) {
  const Toleration whole = *parse_taint("nvidia.com/gpu");
  EXPECT_EQ(whole.key, "nvidia.com/gpu");
  EXPECT_EQ(whole.op, "Exists");
  const Toleration narrow = *parse_taint("team=nlp:NoExecute");
  EXPECT_EQ(narrow.op, "Equal");
  EXPECT_EQ(narrow.value, "nlp");
  EXPECT_EQ(narrow.effect, "NoExecute");
  EXPECT_EQ(parse_taint("spot:NoSchedule")->op, "Exists");
  EXPECT_EQ(parse_taint("empty=")->op, "Equal") << "the empty value";
  for (const char* bad : {"", "=x", "a=b c", "a:Never", "a b", ":NoSchedule"}) {
    EXPECT_FALSE(parse_taint(bad)) << bad;
  }
}

TEST(Forms, JudgeLabelsAsKubernetesDoes) {
  for (const char* good : {"a", "a.b_c-d", "example.com/a", "A1"}) {
    EXPECT_EQ(label_key_fault(good), "") << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a/b/c"),
        std::string("-a"), std::string("Ex_A.com/a"), std::string(64, 'a')}) {
    EXPECT_NE(label_key_fault(bad), "") << bad;
  }
  EXPECT_EQ(label_value_fault(""), "");
  EXPECT_EQ(label_value_fault(std::string(63, 'a')), "");
  EXPECT_NE(label_value_fault(std::string(64, 'a')), "");
  EXPECT_NE(label_value_fault("a b"), "");
  EXPECT_NE(label_value_fault("-a"), "");
}

TEST(Forms, JudgeNames) {
  EXPECT_EQ(object_name_fault("gpu.high-1"), "");
  EXPECT_NE(object_name_fault("GPU"), "");
  EXPECT_NE(object_name_fault("a..b"), "");
  EXPECT_EQ(env_name_fault("NCCL_DEBUG"), "");
  EXPECT_NE(env_name_fault("1A"), "");
  EXPECT_NE(env_name_fault("A=B"), "");
  EXPECT_EQ(namespace_glob_fault("team-*"), "");
  EXPECT_NE(namespace_glob_fault("Team"), "");
  EXPECT_EQ(variable_name_fault("maxGpus"), "");
  EXPECT_NE(variable_name_fault("max-gpus"), "");
  for (const char* good : {"1g.10gb", "3g.40gb", "1g.10gb+me", "1g.10gb.me"}) {
    EXPECT_EQ(profile_fault(good), "") << good;
  }
  for (const char* bad : {"", "1g", "1g.10", "10gb", "1g.10gb+", "1g.10gb!"}) {
    EXPECT_NE(profile_fault(bad), "") << bad;
  }
}

TEST(Forms, NameASetAfterItsFile) {
  EXPECT_EQ(set_name_of("rules/01-gpu-baseline.yaml"), "gpu-baseline");
  EXPECT_EQ(set_name_of("queues.yml"), "queues");
  EXPECT_EQ(set_name_of("2024.yaml"), "2024");
  EXPECT_EQ(set_name_of("10_Team_Queues.yaml"), "team-queues");
  EXPECT_EQ(set_name_of("---.yaml"), "rules");
}

}  // namespace
}  // namespace berth::rules
