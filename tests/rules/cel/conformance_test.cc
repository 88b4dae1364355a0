// Runs the public conformance cases of CEL and prints how many of each profile hold. A case that we
// leave out is named, with the reason, in conformance_excluded.txt; a named case that passes, or
// does not exist, fails the test.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "kube/json.h"
#include "rules/cel/compile.h"
#include "rules/cel/time.h"

namespace berth::rules::cel {
namespace {

using kube::Json;

std::string shared_file(const std::string& name) {
  return std::string(BERTH_SHARED_DIR) + "/conformance/cel/" + name;
}

std::vector<Json> read_cases(base::Arena& arena) {
  std::vector<Json> out;
  std::ifstream file(shared_file("cel-conformance.jsonl"));
  for (std::string line; std::getline(file, line);) {
    const auto json = kube::parse_json(line, arena);
    EXPECT_TRUE(json.has_value()) << line;
    if (json.has_value()) out.push_back(*json);
  }
  return out;
}

std::string name_of(Json c) {
  return std::string(c["file"].string_or_empty()) + "/" +
         std::string(c["section"].string_or_empty()) + "/" +
         std::string(c["name"].string_or_empty());
}

bool needs_only(Json c, const std::set<std::string_view>& allowed) {
  for (const Json need : c["needs"].items()) {
    if (allowed.count(need.string_or_empty()) == 0) return false;
  }
  return true;
}

bool needs(Json c, std::string_view wanted) {
  for (const Json need : c["needs"].items()) {
    if (need.string_or_empty() == wanted) return true;
  }
  return false;
}

std::string decode_base64(std::string_view text) {
  base::Arena arena;
  Environment environment;
  const int x = environment.declare("x", "string");
  const auto program = compile_unchecked("base64.decode(x)", environment).program;
  Activation activation;
  activation.bind(x, Value::string(text));
  Budget budget;
  return std::string(evaluate(*program, activation, arena, budget).text());
}

Value tagged_value(Json json, base::Arena& arena);

Value tagged_list(Json items, base::Arena& arena) {
  std::vector<Value> values;
  for (const Json item : items.items()) values.push_back(tagged_value(item, arena));
  return Value::list(arena.copy(std::span<const Value>(values)));
}

Value tagged_map(Json pairs, base::Arena& arena) {
  std::vector<Entry> entries;
  for (const Json pair : pairs.items()) {
    entries.push_back({tagged_value(pair.at(0), arena), tagged_value(pair.at(1), arena)});
  }
  return Value::map(arena.copy(std::span<const Entry>(entries)));
}

// {"int": "5"} and the like.
Value tagged_value(Json json, base::Arena& arena) {
  const auto& member = json.members()[0];
  const Json content = member.value;
  const std::string text(content.string_or_empty());
  if (member.key == "null") return {};
  if (member.key == "bool") return Value::boolean(content.bool_or(false));
  if (member.key == "int") return Value::integer(std::strtoll(text.c_str(), nullptr, 10));
  if (member.key == "uint") {
    return Value::unsigned_integer(std::strtoull(text.c_str(), nullptr, 10));
  }
  if (member.key == "double") {
    if (content.is_string()) return Value::real(std::strtod(text.c_str(), nullptr));
    return Value::real(content.as_double().value_or(0));
  }
  if (member.key == "string") return Value::string(content.string_or_empty());
  if (member.key == "bytes") {
    const std::string bytes = decode_base64(content.string_or_empty());
    return Value::bytes(arena.copy(std::string_view(bytes)));
  }
  if (member.key == "list") return tagged_list(content, arena);
  if (member.key == "map") return tagged_map(content, arena);
  if (member.key == "type") return Value::type(content.string_or_empty());
  if (member.key == "duration") return parse_duration(text);
  ADD_FAILURE() << "unknown tag " << member.key;
  return {};
}

// Same kind and content: 1 is not 1.0, -0 is not 0, NaN is NaN, the order of a map is free.
bool identical(Value a, Value b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  if (a.is(Kind::kDouble)) {
    if (std::isnan(a.as_double())) return std::isnan(b.as_double());
    return a.as_double() == b.as_double() &&
           std::signbit(a.as_double()) == std::signbit(b.as_double());
  }
  if (a.is(Kind::kList)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!identical(a.item(i), b.item(i))) return false;
    }
    return true;
  }
  if (a.is(Kind::kMap)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      Value other;
      if (!find(b, a.key_at(i), &other) || !identical(a.value_at(i), other)) return false;
    }
    return true;
  }
  return equal(a, b);
}

Environment environment_of(Json c, std::map<std::string, int>& slots) {
  Environment environment;
  environment.set_literals(Literals::kMixed);
  environment.set_container(c["container"].string_or_empty());
  for (const Json entry : c["type_env"].items()) {
    const std::string name(entry["name"].string_or_empty());
    if (entry.has("type")) {
      slots[name] = environment.declare(name, entry["type"].string_or_empty());
      continue;
    }
    std::string signature = name + "(";
    for (const Json parameter : entry["params"].items()) {
      if (signature.back() != '(') signature += ", ";
      signature += parameter.string_or_empty();
    }
    environment.declare_function(signature + ") -> " +
                                 std::string(entry["result"].string_or_empty()));
  }
  for (const auto& binding : c["bindings"].members()) {
    const std::string name(binding.key);
    if (slots.count(name) == 0) slots[name] = environment.declare(name, "dyn");
  }
  return environment;
}

// What went wrong with a case; empty where it holds.
std::string run_case(Json c) {
  base::Arena arena;
  std::map<std::string, int> slots;
  const Environment environment = environment_of(c, slots);
  const auto expression = c["expr"].string_or_empty();
  const auto compiled = c["disable_check"].bool_or(false)
                            ? compile_unchecked(expression, environment)
                            : compile(expression, environment);
  if (compiled.program == nullptr) {
    if (c.has("error")) return {};
    return "does not compile: " + to_text(compiled.diagnostics.at(0));
  }
  if (c.has("deduced_type")) {
    std::string wanted(c["deduced_type"].string_or_empty());
    for (const auto& [from, to] : {std::pair("optional_type", "optional"), {"null_type", "null"}}) {
      while (wanted.find(from) != std::string::npos) {
        wanted.replace(wanted.find(from), std::string(from).size(), to);
      }
    }
    if (compiled.program->result_type() != wanted) {
      return "has type " + compiled.program->result_type() + ", wanted " + wanted;
    }
    if (c["check_only"].bool_or(false)) return {};
  }
  Activation activation;
  for (const auto& binding : c["bindings"].members()) {
    activation.bind(slots[std::string(binding.key)], tagged_value(binding.value, arena));
  }
  Budget budget;
  const Value got = evaluate(*compiled.program, activation, arena, budget);
  if (c.has("error")) return got.is_error() ? "" : "gives " + to_source(got) + ", wanted an error";
  const Value wanted = tagged_value(c["expected"], arena);
  if (identical(got, wanted)) return {};
  return "gives " + to_source(got) + ", wanted " + to_source(wanted);
}

std::map<std::string, std::string> read_excluded() {
  std::map<std::string, std::string> out;
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/tests/rules/cel/conformance_excluded.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto colon = line.find(": ");
    EXPECT_NE(colon, std::string::npos) << line;
    out[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return out;
}

struct Profile {
  std::string_view title;
  std::set<std::string_view> allowed;
  int wanted;
};

class Conformance : public testing::Test {
 protected:
  void SetUp() override {
    cases_ = read_cases(arena_);
    if (cases_.empty()) GTEST_SKIP() << "no conformance data at " << shared_file("");
  }

  // Failures among the cases that need nothing but what is allowed.
  void check(const Profile& profile, const std::map<std::string, std::string>& excluded) {
    int total = 0;
    int passed = 0;
    int named_out = 0;
    for (const Json c : cases_) {
      if (!needs_only(c, profile.allowed)) continue;
      ++total;
      const std::string error = run_case(c);
      const auto out = excluded.find(name_of(c));
      if (out != excluded.end()) {
        ++named_out;
        EXPECT_FALSE(error.empty()) << name_of(c) << " is excluded but passes";
        continue;
      }
      EXPECT_TRUE(error.empty()) << name_of(c) << ": " << c["expr"].string_or_empty() << ": "
                                 << error;
      passed += error.empty() ? 1 : 0;
    }
    std::cout << "conformance " << profile.title << ": " << passed << " of " << total;
    if (named_out > 0) std::cout << ", " << named_out << " excluded by name";
    std::cout << "\n";
    EXPECT_EQ(total, profile.wanted);
  }

  base::Arena arena_;
  std::vector<Json> cases_;
};

TEST_F(Conformance, HoldsForTheCore) {
  check({"core", {}, 992}, {});
}

TEST_F(Conformance, HoldsForTheFirstVersion) {
  check({"v1 gate",
         {"ext:optionals", "ext:comprehensions2", "ext:bindings", "qualified-ident"},
         1111},
        {});
}

TEST_F(Conformance, HoldsForTheLibraries) {
  check({"libraries",
         {"ext:optionals", "ext:comprehensions2", "ext:bindings", "qualified-ident", "ext:strings",
          "ext:math", "wkt-binding", "time", "container"},
         1631},
        read_excluded());
}

TEST_F(Conformance, HoldsForTheEncoders) {
  check({"core and encoders", {"ext:encoders"}, 992 + 4}, {});
}

TEST_F(Conformance, DeducesTypes) {
  int passed = 0;
  int total = 0;
  for (const Json c : cases_) {
    if (!needs(c, "typecheck")) continue;
    ++total;
    const std::string error = run_case(c);
    EXPECT_TRUE(error.empty()) << c["expr"].string_or_empty() << ": " << error;
    passed += error.empty() ? 1 : 0;
  }
  std::cout << "conformance checker: " << passed << " of " << total << "\n";
  EXPECT_EQ(total, 26);
}

TEST_F(Conformance, ExcludesOnlyCasesThatExist) {
  std::set<std::string> names;
  for (const Json c : cases_) names.insert(name_of(c));
  for (const auto& [name, reason] : read_excluded()) {
    EXPECT_EQ(names.count(name), 1U) << name;
    EXPECT_FALSE(reason.empty()) << name;
  }
}

}  // namespace
}  // namespace berth::rules::cel
