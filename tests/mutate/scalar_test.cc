#include "mutate/scalar.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::Existing;

class SetRule {
 public:
  SetRule(std::string_view object, std::string pointer, std::string_view value,
          Existing existing = Existing::kKeep, std::string root = "")
      : bench(object, std::move(root)) {
    const kube::Json constant = bench.parse(value);
    bench.existing(existing)
        .add(rules::SlotKind::kSet, "spec" + pointer.substr(5),
             rules::Scalar{pointer, constant, {}}, "")
        .run();
  }
  Workbench bench;
};

std::string pod_of(std::string_view spec, std::string_view owner = "") {
  std::string reference;
  if (!owner.empty()) {
    reference = ",'ownerReferences':[{'apiVersion':'apps/v1','kind':'" + std::string(owner) +
                "','name':'o','uid':'u','controller':true}]";
  }
  return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'" + reference + "},'spec':{" +
         std::string(spec) + "}}";
}

TEST(Set, WritesWhatTheAuthorLeftOpen) {
  const std::string grace = "/spec/terminationGracePeriodSeconds";
  struct Row {
    std::string_view why, spec;
    std::string pointer;
    std::string_view value;
    Existing existing;
    std::string_view result, kept;
  };
  const Row rows[] = {
      {"absent", "", grace, "120", Existing::kKeep, "120", ""},
      {"filled in by the API server", "'terminationGracePeriodSeconds':30", grace, "120",
       Existing::kKeep, "120", ""},
      {"of the author", "'terminationGracePeriodSeconds':60", grace, "120", Existing::kKeep, "60",
       "set.spec/terminationGracePeriodSeconds wants 120, found 60 at "
       "/spec/terminationGracePeriodSeconds\n"},
      {"replaced", "'terminationGracePeriodSeconds':60", grace, "120", Existing::kReplace, "120",
       ""},
      {"missing parent", "", "/spec/securityContext/runAsNonRoot", "true", Existing::kKeep, "true",
       ""},
      {"C126: deadline of a bare pod", "", "/spec/activeDeadlineSeconds", "28800", Existing::kKeep,
       "28800", ""},
      {"C126: deadline of the author", "'activeDeadlineSeconds':600", "/spec/activeDeadlineSeconds",
       "28800", Existing::kKeep, "600",
       "set.spec/activeDeadlineSeconds wants 28800, found 600 at /spec/activeDeadlineSeconds\n"},
  };
  for (const Row& row : rows) {
    SetRule on(pod_of(row.spec), row.pointer, row.value, row.existing);
    EXPECT_EQ(on.bench.at(row.pointer), row.result) << row.why;
    EXPECT_EQ(on.bench.kept(), row.kept) << row.why;
  }
}

TEST(Set, NeverEndsAPodThatItsOwnerMakesAnew) {  // C126
  for (const std::string_view owner : {"StatefulSet", "ReplicaSet"}) {
    SetRule on(pod_of("", owner), "/spec/activeDeadlineSeconds", "28800");
    EXPECT_TRUE(on.bench.unchanged()) << owner;
    EXPECT_EQ(on.bench.warnings(),
              "activeDeadlineSeconds not written: the owner would make the ended pod anew, for "
              "ever\n");
  }
  SetRule template_of(
      "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{},'spec':{'template':"
      "{'spec':{}}}}",
      "/spec/activeDeadlineSeconds", "28800", Existing::kKeep, "/spec/template");
  EXPECT_TRUE(template_of.bench.unchanged());
}

TEST(Set, OfAnotherShapeIsLeftAlone) {
  SetRule on(pod_of("'securityContext':'none'"), "/spec/securityContext/runAsUser", "1");
  EXPECT_TRUE(on.bench.unchanged());
  EXPECT_EQ(on.bench.warnings(),
            "set.spec/securityContext/runAsUser not written: no place at "
            "/spec/securityContext/runAsUser\n");
}

}  // namespace
}  // namespace berth::mutate
