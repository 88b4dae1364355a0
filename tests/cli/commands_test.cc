// The commands as a shell sees them: exit status, and what stands on stderr when something is off.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/command.h"

namespace berth::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kCase[] = BERTH_SOURCE_DIR "/tests/cases/quickstart";

std::string with_rules(const std::string& command) {
  return command + " --rules " + kCase + "/rules.yaml";
}

// Both outputs and the status of `berth ARGUMENTS`.
std::string berth(const std::string& arguments) {
  return testing::output_of("{ " BERTH_BIN " " + arguments + "; } 2>&1; echo status $?");
}

class Commands : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "berth-commands-" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + '/' + name) << text;
    return folder_ + '/' + name;
  }

 private:
  std::string folder_;
};

TEST_F(Commands, EndWithTwoWhereTheOutputCannotBeWritten) {
  const std::string cluster = std::string(kCase) + "/cluster.yaml";
  for (const std::string& command :
       {std::string("version"), std::string("schema ruleset"),
        "check " + std::string(kCase) + "/rules.yaml", "topology --cluster " + cluster,
        with_rules("explain") + ' ' + kCase + "/review.json",
        with_rules("replay") + ' ' + kCase + "/review.json", with_rules("webhook-config")}) {
    EXPECT_EQ(
        testing::output_of("{ " BERTH_BIN " " + command + "; } 2>&1 >/dev/full; echo $?"),
        "berth: standard output could not be written to its end: No space left on device\n2\n")
        << command;
  }
}

TEST_F(Commands, NameAWordThatIsNone) {
  EXPECT_EQ(berth("explian x"),
            "berth: unknown command 'explian'; did you mean 'explain'?; berth --help lists the "
            "commands\nstatus 2\n");
  EXPECT_THAT(berth("frob"), HasSubstr("unknown command 'frob'; berth --help lists"));
}

TEST_F(Commands, RefuseALabelPrefixThatNoKeyCanHave) {
  const std::string config = file("berth.yaml", "labelPrefix: a_b\n");
  EXPECT_THAT(berth(with_rules("explain --label-prefix 'BAD prefix!'") + " -"),
              ::testing::AllOf(HasSubstr("'BAD prefix!' is no prefix of label keys"),
                               HasSubstr("status 2")));
  EXPECT_THAT(berth(with_rules("explain --config " + config) + " -"),
              HasSubstr(":1:14: error: 'labelPrefix' has a value that is not understood; expected "
                        "a DNS subdomain, such as berth.dev"));
}

TEST_F(Commands, SayThatAFileHoldsNoObject) {
  const std::string empty = file("empty.yaml", "# nothing\n---\n");
  EXPECT_EQ(berth(with_rules("explain") + ' ' + empty),
            empty + ": error: holds no object\nstatus 2\n");
  EXPECT_THAT(berth(with_rules("explain") + " --cluster " + empty + ' ' + kCase + "/review.json"),
              HasSubstr(empty + ": warning: holds nothing of a cluster that berth reads"));
}

TEST_F(Commands, SayWhereRuleFilesGo) {
  EXPECT_THAT(berth("topology --cluster " + std::string(kCase) + "/rules.yaml"),
              ::testing::AllOf(HasSubstr("error: a RuleSet is no object of a cluster"),
                               HasSubstr("rule files go behind --rules"), HasSubstr("status 1")));
}

TEST_F(Commands, ReplayReadsJsonLinesAndYaml) {
  const std::string review =
      testing::output_of("tr -d '\\n' <" + std::string(kCase) + "/review.json");
  const std::string lines = file("lines.json", review + '\n' + review + '\n');
  EXPECT_THAT(berth(with_rules("replay") + ' ' + lines), HasSubstr("2 reviews"));
  const std::string yaml = file("two.yaml", "---\n" + review + "\n---\n" + review + "\n");
  EXPECT_THAT(berth(with_rules("replay") + ' ' + yaml), HasSubstr("2 reviews"));
  const std::string none = file("pod.yaml", "kind: Pod\nmetadata: {name: a}\n");
  EXPECT_THAT(berth(with_rules("replay") + ' ' + none),
              HasSubstr(none + ":1:1: error: is no review"));
}

TEST_F(Commands, ServeTellsWrongInputFromWhatItCannotTry) {
  const std::string serve = with_rules("serve --log-format text --listen 127.0.0.1:0");
  const std::string own = serve + " --self-signed-for localhost";
  const std::string broken = file("cluster.yaml", "kind: Node\n");
  struct Row {
    std::string command;
    const char* said;
    const char* status;
  };
  for (const Row& row : {
           Row{serve, "no certificate; give --cert and --key", "status 2"},
           Row{serve + " --cert /nowhere/a --key /nowhere/b", "/nowhere/a", "status 2"},
           Row{own + " --write-ca /nowhere/ca.pem", "No such file or directory", "status 2"},
           Row{own + " --cluster " + broken, "a Node without metadata.name", "status 1"},
           Row{own + " --admin 192.0.2.1:1", "192.0.2.1:1: Cannot assign requested address",
               "status 2"},
       }) {
    EXPECT_THAT(berth(row.command), ::testing::AllOf(HasSubstr(row.said), HasSubstr(row.status)))
        << row.command;
  }
}

}  // namespace
}  // namespace berth::cli
