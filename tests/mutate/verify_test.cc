#include "mutate/verify.h"

#include "mutate/shape.h"
#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

// An outcome that a slip of ours might make, with what is found.
std::string found(std::string_view before, std::string_view after, Changes changes) {
  base::Arena arena;
  rules::Subject subject;
  subject.object = *kube::parse_json(with_double_quotes(before), arena);
  subject.pod = kube::Pod(subject.object);
  Outcome outcome;
  outcome.object = *kube::parse_json(with_double_quotes(after), arena);
  outcome.changes = std::move(changes);
  topology::Builder builder{topology::BuildOptions{}};
  const auto cluster = builder.finish();
  return verify(outcome, {}, subject, {}, *cluster, arena, {}).value_or("");
}

Change change(Op op, std::string path, kube::Json after = {}) {
  return {op, std::move(path), {}, after, nullptr, {}};
}

TEST(Verify, FindsAPatchThatDoesNotApply) {  // A14
  EXPECT_THAT(found("{'spec':{}}", "{'spec':{'a':{'b':1}}}",
                    {change(Op::kAdd, "/spec/a/b", kube::Json::number("1"))}),
              testing::StartsWith("the patch does not apply: "));
}

TEST(Verify, FindsAPatchThatGivesAnotherObject) {
  EXPECT_EQ(found("{'spec':{}}", "{'spec':{'hostname':'a'}}",
                  {change(Op::kAdd, "/spec/hostname", kube::Json::string("b"))}),
            "the patch gives another object");
}

TEST(Verify, FindsAFieldThatNoPodHas) {  // A15
  EXPECT_EQ(found("{'spec':{'futureField':1}}", "{'spec':{'futureField':1,'tolerationz':'x'}}",
                  {change(Op::kAdd, "/spec/tolerationz", kube::Json::string("x"))}),
            "spec.tolerationz is no field of a pod");
}

TEST(Verify, FindsATextThatIsNone) {  // A16
  EXPECT_EQ(found("{'metadata':{'labels':{'b':2}}}", "{'metadata':{'labels':{'b':2,'a':1}}}",
                  {change(Op::kAdd, "/metadata/labels/a", kube::Json::number("1"))}),
            "label a is no text");
}

TEST(Verify, HoldsAgainstASecondPass) {
  // The author's pod has everything that the (empty) decision wants; nothing to complain of.
  EXPECT_EQ(found("{'spec':{}}", "{'spec':{}}", {}), "");
}

TEST(Shape, FindsWhatTheApiServerWouldRefuse) {
  struct Row {
    std::string_view pod, problem;
  };
  const Row rows[] = {
      {"{}", ""},
      {"{'spec':{'priority':'1'}}", "spec.priority is of type string"},
      {"{'spec':{'volumes':null}}", ""},
      {"{'metadata':{'annotations':{'a':true}}}", "annotation a is no text"},
      {"{'spec':{'nodeSelector':{'a':null}}}", "nodeSelector a is no text"},
      {"{'spec':{'volumes':[{'name':'v'},{'name':'v'}]}}", "volumes has v twice"},
      {"{'spec':{'containers':[{'name':'c','env':[{'name':'A'},{'name':'A'}]}]}}",
       "env of container c has A twice"},
      {"{'spec':{'containers':[{'name':'c','env':[{'name':'A','value':1}]}]}}",
       "env A of container c is no text"},
      {"{'spec':{'containers':[{'name':'c','volumeMounts':[{'name':'v','mountPath':'/a'}]}]}}",
       "container c mounts v, which is no volume"},
      {"{'spec':{'volumes':[{'name':'v'}],'initContainers':[{'name':'c','volumeMounts':[{'name':'v'"
       ","
       "'mountPath':'/a'},{'name':'v','mountPath':'/a/'}]}]}}",
       "container c mounts two volumes at /a"},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    std::string problems;
    for (const std::string& problem :
         shape_problems(*kube::parse_json(with_double_quotes(row.pod), arena))) {
      problems += problem;
    }
    EXPECT_EQ(problems, row.problem) << row.pod;
  }
}

}  // namespace
}  // namespace berth::mutate
