#include "kube/affinity.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kube/selector.h"

namespace berth::kube {
namespace {

constexpr const char* kProduct = "nvidia.com/gpu.product";

NodeRequirement in(std::string key, std::vector<std::string> values) {
  return {std::move(key), NodeOperator::kIn, std::move(values)};
}

std::string with_terms(const std::string& terms) {
  return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{)"
         R"("nodeSelectorTerms":)" +
         terms + "}}}}";
}

std::string expression(const std::string& key, const std::string& op, const std::string& values) {
  std::string out = R"({"key":")" + key + R"(","operator":")" + op + "\"";
  if (!values.empty()) out += R"(,"values":)" + values;
  return out + "}";
}

std::string term(const std::string& expressions) {
  return R"({"matchExpressions":[)" + expressions + "]}";
}

struct Row {
  std::string why;
  std::string spec;
  NodeRequirement requirement;
  Standing standing;
  std::string against;
  std::size_t dead_terms = 0;
};

void expect_judgement(const Row& row) {
  base::Arena arena;
  const auto spec = parse_json(row.spec, arena);
  ASSERT_TRUE(spec.has_value()) << row.why;
  const Judgement got = judge(*spec, row.requirement);
  EXPECT_EQ(got.standing, row.standing) << row.why;
  EXPECT_EQ(got.against, row.against) << row.why;
  EXPECT_EQ(got.dead_terms, row.dead_terms) << row.why;
}

TEST(Affinity, JudgesWhatIsMergedInto) {
  const NodeRequirement h100 = in(kProduct, {"H100"});
  const NodeRequirement zone = in("zone", {"z2"});
  const std::string h100_or_a100 = expression(kProduct, "In", R"(["H100","A100"])");
  const std::vector<Row> rows = {
      {"nothing of the author", "{}", h100, Standing::kCompatible, ""},
      {"two terms of the author",
       with_terms("[" + term(h100_or_a100) + "," + term(expression("rack", "In", R"(["r1"])")) +
                  "]"),
       h100, Standing::kCompatible, ""},
      {"a term with match fields only",
       with_terms(R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}])"),
       h100, Standing::kCompatible, ""},
      {"requirements of two rules, the second on another key",
       with_terms("[" + term(expression(kProduct, "In", R"(["H100"])")) + "]"), zone,
       Standing::kCompatible, ""},
      {"two rules, two terms",
       with_terms("[" + term(expression("arch", "In", R"(["amd64"])")) + "," +
                  term(expression(kProduct, "Exists", "")) + "]"),
       zone, Standing::kCompatible, ""},
      {"greater than of the author on another key",
       with_terms("[" + term(expression("count", "Gt", R"(["4"])")) + "]"), zone,
       Standing::kCompatible, ""},
      {"greater than of the author on this key",
       with_terms("[" + term(expression("count", "Gt", R"(["4"])")) + "]"), in("count", {"8"}),
       Standing::kCompatible, ""},
      {"less than against a value",
       with_terms("[" + term(expression("count", "Lt", R"(["4"])")) + "]"), in("count", {"8"}),
       Standing::kEmpties, "required node affinity count Lt (4)"},
      {"not in against a product",
       with_terms("[" +
                  term(expression(kProduct, "NotIn", R"(["H100"])") + "," +
                       expression(kProduct, "Exists", "")) +
                  "]"),
       h100, Standing::kEmpties, "required node affinity nvidia.com/gpu.product NotIn (H100)"},
      {"one alternative contradicts",
       with_terms("[" + term(expression(kProduct, "Exists", "")) + "," +
                  term(expression(kProduct, "In", R"(["GB200"])")) + "]"),
       h100, Standing::kCompatible, ""},
      {"every alternative contradicts",
       with_terms("[" + term(expression(kProduct, "In", R"(["B200"])")) + "," +
                  term(expression(kProduct, "In", R"(["GB200"])")) + "]"),
       h100, Standing::kEmpties,
       "required node affinity nvidia.com/gpu.product In (B200), and the other terms"},
      {"the words together exclude it",
       with_terms("[" + term(h100_or_a100 + "," + expression(kProduct, "NotIn", R"(["A100"])")) +
                  "]"),
       in(kProduct, {"A100", "L40S"}), Standing::kEmpties,
       "required node affinity nvidia.com/gpu.product In (H100, A100) and "
       "required node affinity nvidia.com/gpu.product NotIn (A100)"},
      {"many values are cut",
       with_terms("[" + term(expression(kProduct, "In", R"(["a","b","c","d","e"])")) + "]"), h100,
       Standing::kEmpties, "required node affinity nvidia.com/gpu.product In (a, b, c and 2 more)"},
      {"node selector conflict", R"({"nodeSelector":{"zone":"z1"}})", zone, Standing::kEmpties,
       "nodeSelector zone=z1"},
      {"a product against the node selector",
       R"({"nodeSelector":{"nvidia.com/gpu.product":"A100"}})", h100, Standing::kEmpties,
       "nodeSelector nvidia.com/gpu.product=A100"},
      {"an empty term stays empty", with_terms("[{}]"), h100, Standing::kEmpties,
       "required node affinity that matches no node", 1},
      {"a term with an empty list", with_terms(R"([{"matchExpressions":[]}])"), h100,
       Standing::kEmpties, "required node affinity that matches no node", 1},
      {"no term at all", with_terms("[]"), h100, Standing::kEmpties,
       "required node affinity that matches no node"},
      {"an empty term beside a real one", with_terms("[{}," + term(h100_or_a100) + "]"), h100,
       Standing::kCompatible, "", 1},
      {"the author contradicts himself",
       R"({"nodeSelector":{"zone":"z1"},"affinity":{"nodeAffinity":{
           "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
           {"matchExpressions":[{"key":"zone","operator":"In","values":["z2"]}]}]}}}})",
       h100, Standing::kEmpties, "required node affinity that matches no node", 1},
      {"a requirement without values", "{}", in(kProduct, {}), Standing::kEmpties,
       "the requirement itself, without a value"},
  };
  for (const Row& row : rows) expect_judgement(row);
}

TEST(Affinity, WritesNothingThatIsSaidAlready) {
  const std::string exactly = term(expression(kProduct, "In", R"(["H100"])"));
  const NodeRequirement exists{kProduct, NodeOperator::kExists, {}};
  const NodeRequirement absent{kProduct, NodeOperator::kDoesNotExist, {}};
  const NodeRequirement not_a100{kProduct, NodeOperator::kNotIn, {"A100"}};
  const std::vector<Row> rows = {
      {"the same", with_terms("[" + exactly + "]"), in(kProduct, {"H100"}), Standing::kImplied, ""},
      {"narrower", with_terms("[" + exactly + "]"), in(kProduct, {"A100", "H100"}),
       Standing::kImplied, ""},
      {"by the node selector", R"({"nodeSelector":{"zone":"z2"}})", in("zone", {"z2"}),
       Standing::kImplied, ""},
      {"by one term only",
       with_terms("[" + exactly + "," + term(expression("zone", "Exists", "")) + "]"),
       in(kProduct, {"H100"}), Standing::kCompatible, ""},
      {"Exists by a value", with_terms("[" + exactly + "]"), exists, Standing::kImplied, ""},
      {"NotIn by a value", with_terms("[" + exactly + "]"), not_a100, Standing::kImplied, ""},
      {"NotIn by absence", with_terms("[" + term(expression(kProduct, "DoesNotExist", "")) + "]"),
       not_a100, Standing::kImplied, ""},
      {"absence", with_terms("[" + term(expression(kProduct, "DoesNotExist", "")) + "]"), absent,
       Standing::kImplied, ""},
      {"an empty term does not count", with_terms("[{}," + exactly + "]"), in(kProduct, {"H100"}),
       Standing::kImplied, "", 1},
      {"a bound leaves more than one value",
       with_terms(
           "[" + term(expression("n", "Gt", R"(["3"])") + "," + expression("n", "Lt", R"(["5"])")) +
           "]"),
       in("n", {"4"}), Standing::kCompatible, ""},
  };
  for (const Row& row : rows) expect_judgement(row);
}

TEST(Affinity, FindsTermsThatContradict) {
  base::Arena arena;
  const auto says = [&](const std::string& text, const NodeRequirement& requirement) {
    return contradicts(parse_json(text, arena).value(), requirement);
  };
  EXPECT_TRUE(says("{}", in("a", {"x"})));
  EXPECT_TRUE(says(term(expression("a", "In", R"(["y"])")), in("a", {"x"})));
  EXPECT_FALSE(says(term(expression("a", "In", R"(["x","y"])")), in("a", {"x"})));
  EXPECT_FALSE(says(term(expression("b", "In", R"(["y"])")), in("a", {"x"})));
  EXPECT_TRUE(says(term(expression("a", "Like", R"(["x"])")), in("a", {"x"})));
  EXPECT_TRUE(says(term(expression("a", "Lt", R"(["0"])")), in("b", {"x"})));
  EXPECT_TRUE(says(term(expression("a", "Gt", R"(["9223372036854775807"])")), in("b", {"x"})));
}

// ---------------------------------------------------------------- the slow twin

struct Node {
  std::string name;
  std::string labels;
};

// Every node over two keys. "zz" stands for all values that nobody names, "04" for the other forms
// of a number.
std::vector<Node> universe() {
  const std::vector<std::string> values = {"",   "x", "y",  "4", "04", "6",
                                           "06", "0", "00", "1", "01", "zz"};
  std::vector<Node> out;
  for (const char* name : {"n1", "n2"}) {
    for (const std::string& a : values) {
      for (const std::string& b : values) {
        std::string labels;
        if (!a.empty()) labels += R"("a":")" + a + "\"";
        if (!b.empty()) labels += std::string(labels.empty() ? "" : ",") + R"("b":")" + b + "\"";
        out.push_back({name, "{" + labels + "}"});
      }
    }
  }
  return out;
}

class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}

  std::string spec() {
    std::string out = "{";
    if (pick(4) == 0) out += R"("nodeSelector":{")" + key() + R"(":")" + value() + "\"}";
    if (pick(6) != 0) {
      std::string terms;
      const unsigned count = pick(4);
      for (unsigned i = 0; i < count; ++i) terms += (i == 0 ? "" : ",") + term_text();
      const std::string affinity = with_terms("[" + terms + "]");
      out += (out.size() > 1 ? "," : "") + affinity.substr(1, affinity.size() - 2);
    }
    return out + "}";
  }

  NodeRequirement requirement() {
    switch (pick(4)) {
      case 0:
        return {key(), NodeOperator::kExists, {}};
      case 1:
        return {key(), NodeOperator::kDoesNotExist, {}};
      case 2:
        return {key(), NodeOperator::kNotIn, {value()}};
      default:
        return pick(2) == 0 ? in(key(), {value()}) : in(key(), {"4", "x"});
    }
  }

 private:
  unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
  std::string key() { return pick(2) == 0 ? "a" : "b"; }
  std::string value() { return std::vector<std::string>{"x", "y", "4", "6"}[pick(4)]; }
  std::string bound() { return std::vector<std::string>{"3", "5", "-2", "0", "q"}[pick(5)]; }

  std::string expression_text() {
    switch (pick(7)) {
      case 0:
        return expression(key(), "In", "[\"" + value() + "\"]");
      case 1:
        return expression(key(), "In", "[\"" + value() + "\",\"" + value() + "\"]");
      case 2:
        return expression(key(), "NotIn", "[\"" + value() + "\"]");
      case 3:
        return expression(key(), "Exists", "");
      case 4:
        return expression(key(), "DoesNotExist", "");
      case 5:
        return expression(key(), "Gt", "[\"" + bound() + "\"]");
      default:
        return expression(key(), "Lt", "[\"" + bound() + "\"]");
    }
  }

  std::string term_text() {
    std::string expressions;
    const unsigned count = pick(4);
    for (unsigned i = 0; i < count; ++i) expressions += (i == 0 ? "" : ",") + expression_text();
    if (pick(5) != 0) return term(expressions);
    const std::string op = pick(2) == 0 ? "In" : "NotIn";
    return R"({"matchFields":[)" + expression("metadata.name", op, R"(["n1"])") +
           R"(],"matchExpressions":[)" + expressions + "]}";
  }

  std::mt19937 random_;
};

Json as_json(base::Arena& arena, const NodeRequirement& requirement) {
  std::vector<Json> values;
  for (const std::string& value : requirement.values) values.push_back(Json::string(value));
  return make_object(arena, {{"key", Json::string(requirement.key)},
                             {"operator", Json::string(to_text(requirement.op))},
                             {"values", make_array(arena, values)}});
}

// The plainest way to follow a judgement: a new term where there is none, else one more expression
// in every term that is not empty.
Json merged_with(base::Arena& arena, Json spec, Json requirement) {
  constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const Json fresh = make_array(
      arena, {make_object(arena, {{"matchExpressions", make_array(arena, {requirement})}})});
  Json terms = spec["affinity"]["nodeAffinity"][kRequired]["nodeSelectorTerms"];
  if (!terms.is_array()) terms = fresh;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Json one = terms.at(i);
    if (one["matchExpressions"].size() + one["matchFields"].size() == 0) continue;
    const Json old = one["matchExpressions"];
    const Json added = with_inserted(arena, old, old.size(), requirement);
    terms = with_item(arena, terms, i, with_member(arena, one, "matchExpressions", added));
  }
  const Json required = make_object(arena, {{"nodeSelectorTerms", terms}});
  const Json node_affinity = make_object(arena, {{kRequired, required}});
  return with_member(arena, spec, "affinity",
                     make_object(arena, {{"nodeAffinity", node_affinity}}));
}

TEST(Affinity, AgreesWithTryingEveryNode) {
  base::Arena arena;
  std::vector<std::pair<Node, Json>> nodes;
  for (const Node& node : universe()) {
    nodes.emplace_back(node, parse_json(node.labels, arena).value());
  }
  Author author(7);
  std::size_t seen[3] = {};
  for (int round = 0; round < 6'000; ++round) {
    base::Arena scratch;
    const std::string text = author.spec();
    const NodeRequirement requirement = author.requirement();
    const Json spec = parse_json(text, scratch).value();
    const Json own = as_json(scratch, requirement);
    std::size_t author_only = 0;
    std::size_t both = 0;
    for (const auto& [node, labels] : nodes) {
      if (!node_affinity_matches(spec, labels, node.name)) continue;
      ++author_only;
      if (requirement_matches(own, labels)) ++both;
    }
    const Judgement got = judge(spec, requirement);
    const Standing expected = both == 0             ? Standing::kEmpties
                              : both == author_only ? Standing::kImplied
                                                    : Standing::kCompatible;
    ++seen[static_cast<int>(expected)];
    ASSERT_EQ(got.standing, expected) << text << " " << to_json(own);
    ASSERT_EQ(got.against.empty(), got.standing != Standing::kEmpties) << text;
  }
  for (const std::size_t count : seen) EXPECT_GT(count, 300U) << "a standing that hardly occurs";
}

TEST(Affinity, NeverAdmitsANodeThatTheAuthorRefused) {
  base::Arena arena;
  std::vector<std::pair<Node, Json>> nodes;
  for (const Node& node : universe()) {
    nodes.emplace_back(node, parse_json(node.labels, arena).value());
  }
  Author author(11);
  int merged_count = 0;
  for (int round = 0; round < 3'000; ++round) {
    base::Arena scratch;
    const std::string text = author.spec();
    const NodeRequirement requirement = author.requirement();
    const Json spec = parse_json(text, scratch).value();
    if (judge(spec, requirement).standing != Standing::kCompatible) continue;
    const Json own = as_json(scratch, requirement);
    const Json merged = merged_with(scratch, spec, own);
    ++merged_count;
    for (const auto& [node, labels] : nodes) {
      const bool both =
          node_affinity_matches(spec, labels, node.name) && requirement_matches(own, labels);
      ASSERT_EQ(node_affinity_matches(merged, labels, node.name), both)
          << text << " with " << to_json(own) << " gives " << to_json(merged) << " on " << node.name
          << node.labels;
    }
  }
  EXPECT_GT(merged_count, 600);
}

}  // namespace
}  // namespace berth::kube
