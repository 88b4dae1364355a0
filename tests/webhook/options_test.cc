#include "webhook/options.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "rules/schema.h"

namespace berth::webhook {
namespace {

std::string problems_of(const std::string& text) {
  Options options;
  base::Problems problems;
  read_config({"berth.yaml", text}, options, problems);
  std::string out;
  for (const base::Problem& problem : problems.list()) {
    out += to_text(problem.place) + ": " + problem.text +
           (problem.hint.empty() ? "" : "; " + problem.hint) + "\n";
  }
  return out;
}

TEST(Options, ReadsTheConfigurationOfTheLab) {
  Options options;
  base::Problems problems;
  read_config({"berth.yaml",
               "levels:\n- {name: node, label: kubernetes.io/hostname}\n- {name: rack, label: "
               "lab.example.com/rack}\n"
               "excludedNamespaces: [kube-system, berth]\noptOutNamespaces: sandbox\ngangBackend: "
               "kueue\nlisten: "
               "127.0.0.1:9443\nloops: 1\n"},
              options, problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(options.levels.size(), 2U);
  EXPECT_EQ(options.levels[1].name, "rack");
  EXPECT_EQ(options.levels[1].labels, std::vector<std::string>{"lab.example.com/rack"});
  EXPECT_EQ(limits_of(options).opt_out_namespaces, std::vector<std::string>{"sandbox"});
  EXPECT_EQ(options.excluded_namespaces, (std::vector<std::string>{"kube-system", "berth"}));
  EXPECT_EQ(options.services.preferred, topology::GangSystem::kKueue);
  EXPECT_EQ(options.listen, "127.0.0.1:9443");
  EXPECT_EQ(options.loops, 1);
}

TEST(Options, ReadsPrecedenceBands) {
  Options options;
  base::Problems problems;
  read_config({"berth.yaml",
               "precedenceBands:\n- {directory: platform, from: 500, to: 1000}\n"
               "- {directory: teams, from: 0, to: 499}\n"},
              options, problems);
  EXPECT_TRUE(problems.empty());
  const rules::LoadOptions load = load_options_of(options);
  ASSERT_EQ(load.bands.size(), 2U);
  EXPECT_EQ(load.bands[0].directory, "platform");
  EXPECT_EQ(load.bands[1].from, 0);
  EXPECT_EQ(load.bands[1].to, 499);
}

TEST(Options, NamesWhatIsWrongAndWhere) {
  struct Row {
    const char* text;
    const char* said;
  };
  const Row rows[] = {
      {"listn: x\n", "berth.yaml:1:1: unknown key 'listn'; did you mean 'listen'?\n"},
      {"loops: many\n",
       "berth.yaml:1:8: 'loops' has a value that is not understood; expected a whole number from 0 "
       "to 256\n"},
      {"gangBackend: slurm\n",
       "berth.yaml:1:14: 'gangBackend' has a value that is not understood; expected auto, kueue, "
       "volcano, kai, "
       "coscheduling, native, yunikorn, koordinator or none\n"},
      {"levels: [node]\n",
       "berth.yaml:1:9: 'levels' has a value that is not understood; expected a list of {name, "
       "label}, from near to "
       "far\n"},
      {"precedenceBands: [{directory: teams, from: 500, to: 499}]\n",
       "berth.yaml:1:18: 'precedenceBands' has a value that is not understood; expected a list of "
       "{directory, from, to}, such as {directory: teams, from: 0, to: 499}\n"},
      {"[a]\n", "berth.yaml:1:1: expected a map of options\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(problems_of(row.text), row.said) << row.text;
}

// `berth schema config` and docs/rules.md are printed from the one table, values are read by the
// other: they must have the same keys.
TEST(Options, KnowsEveryKeyOfTheSchemaAndNoOther) {
  std::set<std::string_view> printed;
  for (const rules::Key& key : rules::object_type(rules::SchemaKind::kConfig, "config").keys) {
    printed.insert(key.name);
  }
  const auto read = config_keys();
  EXPECT_EQ(std::set<std::string_view>(read.begin(), read.end()), printed);
}

TEST(Options, EmptyConfigurationChangesNothing) {
  EXPECT_EQ(problems_of(""), "");
}

TEST(Options, ReadsAddresses) {
  EXPECT_EQ(parse_address("127.0.0.1:8443")->port, 8443);
  EXPECT_EQ(parse_address(":8443")->host, "0.0.0.0");
  EXPECT_EQ(parse_address("[::1]:0")->host, "::1");
  for (const char* bad : {"", "localhost", "a:b", "a:70000", "a:-1", "a:"}) {
    EXPECT_FALSE(parse_address(bad)) << bad;
  }
}

TEST(Options, FindsWhatDoesNotGoTogether) {
  Options options;
  options.cert = "tls.crt";
  options.self_signed_for = {"localhost"};
  options.listen = "nowhere";
  std::string out;
  const base::Problems problems = validate(options);
  for (const base::Problem& problem : problems.list()) out += problem.text + "\n";
  EXPECT_EQ(out,
            "--listen: 'nowhere' is no address, expected HOST:PORT such as 127.0.0.1:8443\n"
            "--cert and --key go together, only one of them is given\n"
            "--cert and --self-signed-for exclude each other\n"
            "no rules; give --rules a file or a folder\n");
}

TEST(Options, AskForACertificate) {
  Options options;
  options.rules = {"rules"};
  ASSERT_EQ(validate(options).list().size(), 1U);
  EXPECT_EQ(validate(options).list().front().text,
            "no certificate; give --cert and --key, or --self-signed-for NAME for a first try");
  options.self_signed_for = {"localhost"};
  EXPECT_TRUE(validate(options).empty());
}

}  // namespace
}  // namespace berth::webhook
