#include "mutate/tolerations.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

rules::Toleration toleration(std::string key, std::string value = "", std::string effect = "") {
  rules::Toleration out;
  out.key = std::move(key);
  out.op = value.empty() ? "Exists" : "Equal";
  out.value = std::move(value);
  out.effect = std::move(effect);
  return out;
}

TEST(Tolerations, AreAddedUnlessOneCoversThem) {
  const rules::Toleration gpu = toleration("nvidia.com/gpu");
  const rules::Toleration spot = toleration("spot", "true", "NoSchedule");
  struct Row {
    std::string_view why, there;
    rules::Toleration wanted;
    std::string_view result;
  };
  const Row rows[] = {
      {"A06: no list", "", gpu, "[{'key':'nvidia.com/gpu','operator':'Exists'}]"},
      {"A07: list is null", "'tolerations':null,", gpu,
       "[{'key':'nvidia.com/gpu','operator':'Exists'}]"},
      {"A26: one element appended", "'tolerations':[{'key':'a','operator':'Exists'}],", gpu,
       "[{'key':'a','operator':'Exists'},{'key':'nvidia.com/gpu','operator':'Exists'}]"},
      {"C03 C107: the same, without effect",
       "'tolerations':[{'key':'nvidia.com/gpu','operator':"
       "'Exists'}],",
       gpu, "[{'key':'nvidia.com/gpu','operator':'Exists'}]"},
      {"C107: empty effect is every effect",
       "'tolerations':[{'key':'nvidia.com/gpu','operator':'Exists','effect':''}],", gpu,
       "[{'key':'nvidia.com/gpu','operator':'Exists','effect':''}]"},
      {"C107 C109: everything tolerated", "'tolerations':[{'operator':'Exists'}],", gpu,
       "[{'operator':'Exists'}]"},
      {"C107: for a time only",
       "'tolerations':[{'key':'nvidia.com/gpu','operator':'Exists','effect':'NoExecute',"
       "'tolerationSeconds':60}],",
       gpu,
       "[{'key':'nvidia.com/gpu','operator':'Exists','effect':'NoExecute','tolerationSeconds':60},"
       "{'key':'nvidia.com/gpu','operator':'Exists'}]"},
      {"C04 m017: narrower there",
       "'tolerations':[{'key':'nvidia.com/gpu','operator':'Equal','value':'present','effect':"
       "'NoSchedule'}],",
       gpu,
       "[{'key':'nvidia.com/gpu','operator':'Equal','value':'present','effect':'NoSchedule'},"
       "{'key':'nvidia.com/gpu','operator':'Exists'}]"},
      {"m015: with a value", "", spot,
       "[{'key':'spot','operator':'Equal','value':'true','effect':'NoSchedule'}]"},
      {"m016: any value covers one", "'tolerations':[{'key':'spot','operator':'Exists'}],", spot,
       "[{'key':'spot','operator':'Exists'}]"},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_with(row.there));
    bench.add(rules::SlotKind::kTolerate, row.wanted.key, row.wanted, "").run();
    EXPECT_EQ(bench.at("/spec/tolerations"), json_text(row.result)) << row.why;
  }
}

TEST(Tolerations, OfTwoRulesGiveOne) {  // m018
  Workbench bench(pod_with(""));
  bench.add(rules::SlotKind::kTolerate, "k", toleration("k"), "");
  bench.rule("t/again").add(rules::SlotKind::kTolerate, "k:NoSchedule",
                            toleration("k", "", "NoSchedule"), "");
  bench.run();
  EXPECT_EQ(bench.at("/spec/tolerations"), json_text("[{'key':'k','operator':'Exists'}]"));
}

TEST(Tolerations, MayEndAfterAWhile) {
  rules::Toleration wanted = toleration("k", "", "NoExecute");
  wanted.seconds = 30;
  Workbench bench(pod_with(""));
  bench.add(rules::SlotKind::kTolerate, "k", wanted, "").run();
  EXPECT_EQ(bench.at("/spec/tolerations/0/tolerationSeconds"), "30");
}

}  // namespace
}  // namespace berth::mutate
