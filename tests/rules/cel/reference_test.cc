// Our CEL against Kubernetes' own: the same expressions over the same real pods must give the same
// value, an error in both, or be refused by both. The other side is tests/cel-reference, a Go
// program that tools/reference-bin cel builds; where that has not been done, this says so and
// skips.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kube/json.h"
#include "tests/rules/cel/fixture.h"
#include "tests/rules/cel/random_expression.h"
#include "tests/support/command.h"

namespace berth::rules::cel {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = BERTH_SOURCE_DIR;

std::string hex(std::string_view text) {
  std::string out;
  char digits[3];
  for (const char c : text) {
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += digits;
  }
  return out;
}

std::string hex(double value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return digits;
}

std::string canonical(Value value);

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string canonical_aggregate(Value value) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < value.size(); ++i) {
    parts.push_back(value.is(Kind::kList)
                        ? canonical(value.item(i))
                        : canonical(value.key_at(i)) + ": " + canonical(value.value_at(i)));
  }
  if (value.is(Kind::kList)) return "[" + joined(parts) + "]";
  std::sort(parts.begin(), parts.end());
  return "{" + joined(parts) + "}";
}

// As main.go has it.
std::string canonical(Value value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return value.as_bool() ? "true" : "false";
    case Kind::kInt:
      return "i" + std::to_string(value.as_int());
    case Kind::kUint:
      return "u" + std::to_string(value.as_uint());
    case Kind::kDouble:
      return "d" + hex(value.as_double());
    case Kind::kString:
      return "s" + hex(value.text());
    case Kind::kBytes:
      return "b" + hex(value.text());
    case Kind::kList:
    case Kind::kMap:
      return canonical_aggregate(value);
    case Kind::kType:
      return "type " + std::string(value.text());
    case Kind::kTimestamp: {
      char nanos[16];
      std::snprintf(nanos, sizeof nanos, ".%09d", value.as_timestamp().nanos);
      return "t" + std::to_string(value.as_timestamp().seconds) + nanos;
    }
    case Kind::kDuration:
      return "n" + std::to_string(value.as_duration());
    case Kind::kQuantity:
      return "q" + hex(value.as_quantity().as_double());
    case Kind::kOptional:
      return value.has_value() ? "some(" + canonical(value.optional_value()) + ")" : "none";
    case Kind::kError:
    case Kind::kStruct:
      break;
  }
  return "unknown";
}

struct Expression {
  std::string text;
  std::string differs;  // why ours comes out differently; empty where it must not
};

std::vector<Expression> read_expressions() {
  std::vector<Expression> out;
  std::ifstream file(kSource / "tests/cel-reference/expressions.txt");
  std::string differs;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("! ")) {
      differs = line.substr(2);
      continue;
    }
    out.push_back({line, differs});
    differs.clear();
  }
  return out;
}

class Reference : public ::testing::Test {
 protected:
  void SetUp() override {
    binary_ = berth::testing::output_of((kSource / "tools/reference-bin cel").string() +
                                        " --check 2>/dev/null");
    if (binary_.empty()) {
      GTEST_SKIP() << "Kubernetes' CEL has not been built; run tools/reference-bin cel";
    }
    binary_.pop_back();
    for (const auto& entry : fs::directory_iterator(kSource / "tests/data/cases/reviews")) {
      if (entry.path().extension() == ".json") add_pod(entry.path());
    }
    std::sort(pods_.begin(), pods_.end());
    declare();
  }

  void add_pod(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    const auto review = kube::parse_json(text.str(), data_);
    if (!review.has_value()) return;
    const auto object = (*review)["request"]["object"];
    if (object["kind"].string_or_empty() == "Pod" && object.has("spec")) {
      pods_.push_back(path.string());
    }
  }

  void declare() {
    // Untyped, as admission policies have it: the table of pod fields is our own addition.
    object_ = environment_.declare("object", "dyn");
    any_ = environment_.declare("any", "dyn");
    const std::pair<const char*, const char*> constants[] = {
        {"request", R"({"operation": "CREATE", "namespace": "team-nlp",
                        "userInfo": {"username": "ann", "groups": ["dev"]}})"},
        {"namespaceObject", R"({"metadata": {"name": "team-nlp", "labels": {"team": "nlp"}}})"},
        {"workload", R"({"intent": "training", "gpus": 8, "pods": 4, "totalGpus": 32,
                         "shared": false,
                         "labels": {"team": "nlp", "tier": "gold", "app": "bert"}})"},
        {"variables", R"({"maxInteractive": 2, "small": true, "optedOut": false})"},
    };
    for (const auto& [name, text] : constants) {
      activation_.bind(environment_.declare(name, "dyn"), *kube::parse_json(text, data_));
    }
  }

  // "refused", "error" or "value CANONICAL", with what we say behind the first two.
  std::string ours(const std::string& text, std::size_t pod) {
    const auto compiled = compile(text, environment_);
    if (compiled.program == nullptr) return "refused " + compiled.diagnostics.at(0).text;
    std::ifstream file(pods_[pod]);
    std::ostringstream review;
    review << file.rdbuf();
    base::Arena arena;
    const auto object = (*kube::parse_json(review.str(), arena))["request"]["object"];
    activation_.bind(object_, object);
    activation_.bind(any_, object);
    Budget budget;
    const Value value = evaluate(*compiled.program, activation_, arena, budget);
    return value.is_error() ? "error " + to_source(value) : "value " + canonical(value);
  }

  std::vector<std::string> theirs(const std::vector<std::string>& texts,
                                  const std::vector<std::size_t>& pods) {
    const fs::path folder = fs::temp_directory_path() / ("berth-cel-" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::ofstream input(folder / "in");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string line = "{\"expr\":";
      kube::append_json_string(line, texts[i]);
      input << line << ",\"pod\":" << pods[i] << "}\n";
    }
    input.close();
    std::string command = "'" + binary_ + "'";
    for (const auto& pod : pods_) command += " '" + pod + "'";
    std::istringstream lines(
        berth::testing::output_of(command + " < '" + (folder / "in").string() + "'"));
    fs::remove_all(folder);
    std::vector<std::string> out;
    for (std::string line; std::getline(lines, line);) out.push_back(line);
    return out;
  }

  // The part that must agree: the class, and of a value all of it.
  static std::string compared(const std::string& outcome) {
    return outcome.starts_with("value ") ? outcome : outcome.substr(0, outcome.find(' '));
  }

  std::string binary_;
  std::vector<std::string> pods_;
  Environment environment_;
  Activation activation_;
  base::Arena data_;
  int object_ = 0;
  int any_ = 0;
};

TEST_F(Reference, AgreesOnWrittenExpressions) {
  constexpr std::size_t kPods = 5;
  const auto expressions = read_expressions();
  ASSERT_GE(expressions.size(), 300U);
  ASSERT_GE(pods_.size(), kPods);
  std::vector<std::string> texts;
  std::vector<std::size_t> pods;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    for (std::size_t k = 0; k < kPods; ++k) {
      texts.push_back(expressions[i].text);
      pods.push_back((i + k * 7) % pods_.size());
    }
  }
  const auto wanted = theirs(texts, pods);
  ASSERT_EQ(wanted.size(), texts.size());
  std::map<std::string, int> agreed;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    bool differs = false;
    for (std::size_t k = i * kPods; k < (i + 1) * kPods; ++k) {
      const std::string got = ours(texts[k], pods[k]);
      const bool same = compared(got) == compared(wanted[k]);
      differs = differs || !same;
      if (!same && expressions[i].differs.empty()) {
        ADD_FAILURE() << texts[k] << "\n  ours:   " << got << "\n  theirs: " << wanted[k]
                      << "\n  pod:    " << pods_[pods[k]];
        break;
      }
      if (same) ++agreed[got.substr(0, got.find(' '))];
    }
    EXPECT_EQ(differs, !expressions[i].differs.empty()) << texts[i * kPods];
  }
  std::cout << "reference: " << expressions.size() << " expressions on " << kPods
            << " pods each: " << agreed["value"] << " values, " << agreed["error"] << " errors and "
            << agreed["refused"] << " refusals agree\n";
}

TEST_F(Reference, AgreesOnRandomExpressions) {
  testing::RandomExpression random(1202, testing::Dialect::kKubernetes);
  std::vector<std::string> texts;
  std::vector<std::size_t> pods;
  while (texts.size() < 1000) {
    std::string text = texts.size() % 3 == 0 ? random.text(3) : random.boolean(3);
    if (text.size() > 2000) continue;
    pods.push_back(texts.size() % pods_.size());
    texts.push_back(std::move(text));
  }
  const auto wanted = theirs(texts, pods);
  ASSERT_EQ(wanted.size(), texts.size());
  std::map<std::string, int> agreed;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string got = ours(texts[i], pods[i]);
    EXPECT_EQ(compared(got), compared(wanted[i]))
        << texts[i] << "\n  ours:   " << got << "\n  theirs: " << wanted[i];
    if (compared(got) == compared(wanted[i])) ++agreed[got.substr(0, got.find(' '))];
  }
  std::cout << "reference: " << texts.size() << " random expressions: " << agreed["value"]
            << " values, " << agreed["error"] << " errors and " << agreed["refused"]
            << " refusals agree\n";
}

}  // namespace
}  // namespace berth::rules::cel
