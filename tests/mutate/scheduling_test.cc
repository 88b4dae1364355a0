#include "mutate/scheduling.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::Existing;
using rules::SlotKind;

std::string pod_of(std::string_view spec) {
  return "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p'},'spec':{" + std::string(spec) +
         "}}";
}

TEST(Scheduler, DefaultIsNoChoice) {
  struct Row {
    std::string_view why, spec, wanted;
    Existing existing;
    std::string_view result, kept;
  };
  const Row rows[] = {
      {"C085: filled in by the API server", "'schedulerName':'default-scheduler'", "volcano",
       Existing::kKeep, "'volcano'", ""},
      {"absent", "", "volcano", Existing::kKeep, "'volcano'", ""},
      {"absent is the default", "", "default-scheduler", Existing::kKeep, "absent", ""},
      {"C085: of the author", "'schedulerName':'kai-scheduler'", "volcano", Existing::kKeep,
       "'kai-scheduler'", "scheduler wants volcano, found kai-scheduler at /spec/schedulerName\n"},
      {"m046: replaced", "'schedulerName':'kai-scheduler'", "volcano", Existing::kReplace,
       "'volcano'", ""},
      {"the same", "'schedulerName':'volcano'", "volcano", Existing::kDeny, "'volcano'", ""},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_of(row.spec));
    bench.existing(row.existing).text(SlotKind::kScheduler, row.wanted).run();
    EXPECT_EQ(bench.at("/spec/schedulerName"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.kept(), row.kept) << row.why;
  }
}

constexpr std::string_view kTraining =
    "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'gpu-training'}"
    ",'value':10000}";
constexpr std::string_view kScavenge =
    "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'scavenge'},"
    "'value':100,'preemptionPolicy':'Never'}";
constexpr std::string_view kStandard =
    "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'standard'},"
    "'value':500,'globalDefault':true}";

TEST(PriorityClass, ChangesWithNumberAndPolicy) {
  const std::string_view stamped = "'priority':0,'preemptionPolicy':'PreemptLowerPriority'";
  struct Row {
    std::string_view why, spec, wanted;
    Existing existing;
    std::string_view result, kept, warnings;
  };
  const Row rows[] = {
      {"E01 C098: class, number and policy", stamped, "scavenge", Existing::kKeep,
       "{'priority':100,'preemptionPolicy':'Never','priorityClassName':'scavenge'}", "", ""},
      {"a class without policy", "", "gpu-training", Existing::kKeep,
       "{'priorityClassName':'gpu-training','priority':10000,'preemptionPolicy':"
       "'PreemptLowerPriority'}",
       "", ""},
      {"E02 m044: no such class", stamped, "gpu-urgent", Existing::kReplace,
       "{'priority':0,'preemptionPolicy':'PreemptLowerPriority'}", "",
       "priority class gpu-urgent not written: it does not exist\n"},
      {"E03 C099: put there by the global default", "'priorityClassName':'standard','priority':500",
       "gpu-training", Existing::kKeep,
       "{'priorityClassName':'gpu-training','priority':10000,'preemptionPolicy':"
       "'PreemptLowerPriority'}",
       "", ""},
      {"C099: of the author", "'priorityClassName':'scavenge','priority':100", "gpu-training",
       Existing::kKeep, "{'priorityClassName':'scavenge','priority':100}",
       "priorityClass wants gpu-training, found scavenge at /spec/priorityClassName\n", ""},
      {"m042: replaced",
       "'priorityClassName':'gpu-training','priority':10000,'preemptionPolicy':"
       "'PreemptLowerPriority'",
       "scavenge", Existing::kReplace,
       "{'priorityClassName':'scavenge','priority':100,'preemptionPolicy':'Never'}", "", ""},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_of(row.spec));
    bench.cluster(kTraining).cluster(kScavenge).cluster(kStandard);
    bench.existing(row.existing).text(SlotKind::kPriorityClass, row.wanted).run();
    EXPECT_EQ(bench.at("/spec"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.kept(), row.kept) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

TEST(PriorityClass, IsRefusedWithBothNames) {  // m043
  Workbench bench(pod_of("'priorityClassName':'scavenge'"));
  bench.existing(Existing::kDeny).text(SlotKind::kPriorityClass, "gpu-training").run();
  EXPECT_EQ(bench.denials(), "priorityClass is scavenge, but has to be gpu-training\n");
}

TEST(PriorityClass, LeavesTheNumberToTheApiServerWhereClassesAreUnknown) {  // E01
  Workbench bench(pod_of("'priority':0,'preemptionPolicy':'Never'"));
  bench.text(SlotKind::kPriorityClass, "any").run();
  EXPECT_EQ(bench.at("/spec"), json_text("{'priorityClassName':'any'}"));
}

TEST(PriorityClass, StandsAloneInATemplate) {
  Workbench bench(
      "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'j'},'spec':"
      "{'template':{'metadata':{},'spec':{}}}}",
      "/spec/template");
  bench.cluster(kTraining).text(SlotKind::kPriorityClass, "gpu-training").run();
  EXPECT_EQ(bench.at("/spec/template/spec"), json_text("{'priorityClassName':'gpu-training'}"));
}

constexpr std::string_view kNvidia =
    "{'apiVersion':'node.k8s.io/v1','kind':'RuntimeClass','metadata':{'name':'nvidia'},'handler':"
    "'nvidia','scheduling':{'nodeSelector':{'gpu':'yes'}}}";
constexpr std::string_view kKata =
    "{'apiVersion':'node.k8s.io/v1','kind':'RuntimeClass','metadata':{'name':'kata'},'handler':"
    "'kata','overhead':{'podFixed':{'cpu':'250m'}}}";

TEST(RuntimeClass, IsOnlyWrittenWhereTheApiServerTakesIt) {
  struct Row {
    std::string_view why, spec, wanted;
    Existing existing;
    std::string_view result, kept, warnings;
  };
  const Row rows[] = {
      {"C102: missing", "", "nvidia", Existing::kKeep, "'nvidia'", "", ""},
      {"C102: of the author", "'runtimeClassName':'kata'", "nvidia", Existing::kKeep, "'kata'",
       "runtimeClass wants nvidia, found kata at /spec/runtimeClassName\n", ""},
      {"replaced", "'runtimeClassName':'runc'", "nvidia", Existing::kReplace, "'nvidia'", "", ""},
      {"m045: no such class", "", "turbo", Existing::kKeep, "absent", "",
       "runtime class turbo not written: it does not exist\n"},
      {"E12 m047: overhead of another class", "'runtimeClassName':'kata','overhead':{'cpu':'250m'}",
       "nvidia", Existing::kReplace, "'kata'", "",
       "runtime class nvidia not written: the pod has overhead of another class\n"},
      {"E12: overhead of this class", "'overhead':{'cpu':'250m'}", "kata", Existing::kKeep,
       "'kata'", "", ""},
      {"E13: its selector contradicts the pod's", "'nodeSelector':{'gpu':'no'}", "nvidia",
       Existing::kKeep, "absent", "",
       "runtime class nvidia not written: it selects gpu=yes, the pod no\n"},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_of(row.spec));
    bench.cluster(kNvidia).cluster(kKata);
    bench.existing(row.existing).text(SlotKind::kRuntimeClass, row.wanted).run();
    EXPECT_EQ(bench.at("/spec/runtimeClassName"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.kept(), row.kept) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

}  // namespace
}  // namespace berth::mutate
