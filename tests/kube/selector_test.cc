#include "kube/selector.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

struct Row {
  std::string why;
  std::string selector;
  std::string labels;
  bool expected;
};

TEST(Selector, MatchesLabelSelectors) {
  const std::vector<Row> rows = {
      {"null selects all", "null", R"({"a":"b"})", true},
      {"empty selects all", "{}", "null", true},
      {"a label", R"({"matchLabels":{"a":"b"}})", R"({"a":"b","c":"d"})", true},
      {"another value", R"({"matchLabels":{"a":"b"}})", R"({"a":"c"})", false},
      {"absent", R"({"matchLabels":{"a":"b"}})", "{}", false},
      {"both must hold",
       R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]})",
       R"({"a":"b"})", false},
      {"In", R"({"matchExpressions":[{"key":"a","operator":"In","values":["x","b"]}]})",
       R"({"a":"b"})", true},
      {"In without the key", R"({"matchExpressions":[{"key":"a","operator":"In","values":[""]}]})",
       "{}", false},
      {"NotIn", R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]})",
       R"({"a":"b"})", false},
      {"NotIn holds without the key",
       R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]})", "{}", true},
      {"DoesNotExist", R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})", "{}",
       true},
      {"an unknown operator matches nothing",
       R"({"matchExpressions":[{"key":"a","operator":"Like"}]})", R"({"a":"b"})", false},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(label_selector_matches(parse_json(row.selector, arena).value(),
                                     parse_json(row.labels, arena).value()),
              row.expected)
        << row.why;
  }
}

TEST(Selector, MatchesNodeRequirements) {
  const std::vector<Row> rows = {
      {"Gt", R"({"key":"n","operator":"Gt","values":["4"]})", R"({"n":"5"})", true},
      {"Gt is strict", R"({"key":"n","operator":"Gt","values":["4"]})", R"({"n":"4"})", false},
      {"Lt", R"({"key":"n","operator":"Lt","values":["4"]})", R"({"n":"-3"})", true},
      {"Lt without the key", R"({"key":"n","operator":"Lt","values":["4"]})", "{}", false},
      {"no number on the node", R"({"key":"n","operator":"Gt","values":["4"]})", R"({"n":"5Gi"})",
       false},
      {"no number in the term", R"({"key":"n","operator":"Gt","values":["x"]})", R"({"n":"5"})",
       false},
      {"two numbers", R"({"key":"n","operator":"Gt","values":["1","2"]})", R"({"n":"5"})", false},
      {"no values", R"({"key":"n","operator":"Gt"})", R"({"n":"5"})", false},
      {"numbers, not texts, are compared", R"({"key":"n","operator":"Gt","values":["9"]})",
       R"({"n":"10"})", true},
      {"a sign makes it no label value", R"({"key":"n","operator":"Gt","values":["+9"]})",
       R"({"n":"10"})", false},
      {"less than a negative number", R"({"key":"n","operator":"Gt","values":["-4"]})",
       R"({"n":"5"})", false},
      {"NotIn with what is no label value", R"({"key":"n","operator":"NotIn","values":["-4"]})",
       R"({"n":"5"})", false},
      {"NotIn without values", R"({"key":"n","operator":"NotIn"})", R"({"n":"5"})", false},
      {"Exists with values", R"({"key":"n","operator":"Exists","values":["5"]})", R"({"n":"5"})",
       false},
      {"two signs", R"({"key":"n","operator":"Lt","values":["9"]})", R"({"n":"+-10"})", false},
      {"In with a number in the list", R"({"key":"n","operator":"In","values":[5]})",
       R"({"n":"5"})", false},
      {"a label that is no text is absent", R"({"key":"n","operator":"Exists"})", R"({"n":5})",
       false},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(requirement_matches(parse_json(row.selector, arena).value(),
                                  parse_json(row.labels, arena).value()),
              row.expected)
        << row.why;
  }
}

TEST(Selector, MatchesNodeTermsByLabelsAndName) {
  const std::vector<Row> rows = {
      {"an empty term matches nothing", "{}", R"({"a":"b"})", false},
      {"so do empty lists", R"({"matchExpressions":[],"matchFields":[]})", R"({"a":"b"})", false},
      {"null matches nothing", "null", "{}", false},
      {"all expressions must hold",
       R"({"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"z","operator":"Exists"}]})",
       R"({"a":"b"})", false},
      {"the name",
       R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["node-1"]}]})", "{}",
       true},
      {"another name",
       R"({"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["node-1"]}]})", "{}",
       false},
      {"another field", R"({"matchFields":[{"key":"metadata.uid","operator":"Exists"}]})", "{}",
       false},
      {"name and labels",
       R"({"matchExpressions":[{"key":"a","operator":"Exists"}],
           "matchFields":[{"key":"metadata.name","operator":"In","values":["node-1"]}]})",
       R"({"a":""})", true},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(node_term_matches(parse_json(row.selector, arena).value(),
                                parse_json(row.labels, arena).value(), "node-1"),
              row.expected)
        << row.why;
  }
}

std::string required(const std::string& terms) {
  return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{)"
         R"("nodeSelectorTerms":)" +
         terms + "}}}}";
}

TEST(Selector, MatchesNodeSelectorAndAnyTerm) {
  const std::string a = R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})";
  const std::string z = R"({"matchExpressions":[{"key":"z","operator":"Exists"}]})";
  const std::vector<Row> rows = {
      {"nothing asked", "{}", "{}", true},
      {"the selector", R"({"nodeSelector":{"a":"b"}})", R"({"a":"b"})", true},
      {"the selector refuses", R"({"nodeSelector":{"a":"x"}})", R"({"a":"b"})", false},
      {"one term is enough", required("[" + z + "," + a + "]"), R"({"a":"b"})", true},
      {"no term", required("[" + z + "]"), R"({"a":"b"})", false},
      {"an empty list matches nothing", required("[]"), R"({"a":"b"})", false},
      {"an empty term matches nothing", required("[{}]"), R"({"a":"b"})", false},
      {"an empty term beside a real one", required("[{}," + a + "]"), R"({"a":"b"})", true},
      {"null is not asked", R"({"affinity":{"nodeAffinity":null},"nodeSelector":null})", "{}",
       true},
  };
  for (const Row& row : rows) {
    base::Arena arena;
    EXPECT_EQ(node_affinity_matches(parse_json(row.selector, arena).value(),
                                    parse_json(row.labels, arena).value(), "node-1"),
              row.expected)
        << row.why;
  }
}

TEST(Selector, AddsTheWeightsOfPreferredTermsThatMatch) {
  base::Arena arena;
  const Json spec = parse_json(R"({"affinity":{"nodeAffinity":{
    "preferredDuringSchedulingIgnoredDuringExecution":[
      {"weight":10,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}},
      {"weight":20,"preference":{"matchExpressions":[{"key":"z","operator":"Exists"}]}},
      {"weight":5,"preference":{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}},
      {"weight":50,"preference":{}},
      {"weight":1000,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}}})",
                               arena)
                        .value();
  EXPECT_EQ(preferred_weight(spec, parse_json(R"({"a":"b"})", arena).value(), "n"), 15);
  EXPECT_EQ(preferred_weight(spec, Json(), "n"), 0);
  EXPECT_EQ(preferred_weight(Json(), Json(), "n"), 0);
}

TEST(Selector, TellsWhichTolerationCoversATaint) {
  struct Case {
    std::string why;
    std::string toleration;
    std::string taint;
    bool expected;
  };
  const std::string gpu = R"({"key":"nvidia.com/gpu","value":"present","effect":"NoSchedule"})";
  const std::vector<Case> rows = {
      {"Exists", R"({"key":"nvidia.com/gpu","operator":"Exists"})", gpu, true},
      {"everything", R"({"operator":"Exists"})", gpu, true},
      {"everything of another effect", R"({"operator":"Exists","effect":"NoExecute"})", gpu, false},
      {"another key", R"({"key":"sku","operator":"Exists"})", gpu, false},
      {"Equal by default", R"({"key":"nvidia.com/gpu","value":"present"})", gpu, true},
      {"another value", R"({"key":"nvidia.com/gpu","operator":"Equal","value":"true"})", gpu,
       false},
      {"no value", R"({"key":"nvidia.com/gpu"})", gpu, false},
      {"no key needs Exists", R"({"value":"present"})", gpu, false},
      {"Gt", R"({"key":"n","operator":"Gt","value":"3"})",
       R"({"key":"n","value":"5","effect":"NoSchedule"})", true},
      {"Lt", R"({"key":"n","operator":"Lt","value":"3"})",
       R"({"key":"n","value":"5","effect":"NoSchedule"})", false},
      {"an unknown operator", R"({"key":"nvidia.com/gpu","operator":"Like","value":"present"})",
       gpu, false},
  };
  for (const Case& row : rows) {
    base::Arena arena;
    EXPECT_EQ(toleration_covers_taint(parse_json(row.toleration, arena).value(),
                                      parse_json(row.taint, arena).value()),
              row.expected)
        << row.why;
  }
}

TEST(Selector, NeedsATolerationForEveryTaintThatKeepsPodsOut) {
  base::Arena arena;
  const Json taints = parse_json(R"([{"key":"a","effect":"NoSchedule"},
    {"key":"b","effect":"PreferNoSchedule"},{"key":"c","effect":"NoExecute"}])",
                                 arena)
                          .value();
  const auto tolerates = [&](std::string_view text) {
    return tolerates_all(parse_json(text, arena).value(), taints);
  };
  EXPECT_TRUE(tolerates(R"([{"key":"a","operator":"Exists"},{"key":"c","operator":"Exists"}])"));
  EXPECT_FALSE(tolerates(R"([{"key":"a","operator":"Exists"}])"));
  EXPECT_TRUE(tolerates(R"([{"operator":"Exists"}])"));
  EXPECT_FALSE(tolerates("null"));
  EXPECT_TRUE(tolerates_all(Json(), Json()));
}

TEST(Selector, TellsWhichTolerationCoversAnother) {
  struct Case {
    std::string why;
    std::string wide;
    std::string narrow;
    bool expected;
  };
  const std::vector<Case> rows = {
      {"the same", R"({"key":"a","operator":"Exists","effect":"NoSchedule"})",
       R"({"key":"a","operator":"Exists","effect":"NoSchedule"})", true},
      {"all effects cover one", R"({"key":"a","operator":"Exists"})",
       R"({"key":"a","operator":"Exists","effect":"NoSchedule"})", true},
      {"one effect does not cover all", R"({"key":"a","operator":"Exists","effect":"NoSchedule"})",
       R"({"key":"a","operator":"Exists"})", false},
      {"everything covers one key", R"({"operator":"Exists"})",
       R"({"key":"a","operator":"Exists"})", true},
      {"one key does not cover everything", R"({"key":"a","operator":"Exists"})",
       R"({"operator":"Exists"})", false},
      {"Exists covers a value", R"({"key":"a","operator":"Exists"})",
       R"({"key":"a","value":"x","effect":"NoSchedule"})", true},
      {"a value does not cover Exists", R"({"key":"a","value":"x"})",
       R"({"key":"a","operator":"Exists"})", false},
      {"an absent value is the empty one", R"({"key":"a"})", R"({"key":"a","value":""})", true},
      {"Equal is the default", R"({"key":"a","value":"x"})",
       R"({"key":"a","operator":"Equal","value":"x"})", true},
      {"for a time does not cover for good",
       R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})",
       R"({"key":"a","operator":"Exists","effect":"NoExecute"})", false},
      {"for good covers for a time", R"({"key":"a","operator":"Exists","effect":"NoExecute"})",
       R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})", true},
      {"longer covers shorter",
       R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})",
       R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":60})", true},
      {"shorter does not cover longer",
       R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":60})",
       R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})", false},
  };
  for (const Case& row : rows) {
    base::Arena arena;
    EXPECT_EQ(toleration_covers(parse_json(row.wide, arena).value(),
                                parse_json(row.narrow, arena).value()),
              row.expected)
        << row.why;
  }
}

}  // namespace
}  // namespace berth::kube
