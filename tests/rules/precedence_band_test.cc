#include "rules/precedence_band.h"

#include <array>

#include <gtest/gtest.h>

#include "rules/loader.h"

namespace berth::rules {
namespace {

const std::array kBands = {PrecedenceBand{"platform", 500, 1000}, PrecedenceBand{"teams/", 0, 499},
                           PrecedenceBand{"old/platform", 0, 9},
                           PrecedenceBand{"/srv/rules", 20, 30}};

TEST(PrecedenceBand, IsThatOfTheFolderWhateverItsParents) {
  struct Row {
    const char* file;
    int from;  // -1: none
    const char* why;
  };
  const Row rows[] = {
      {"platform/a.yaml", 500, "the folder"},
      {"/etc/berth/rules/platform/a.yaml", 500, "the end of its path"},
      {"rules/tests/../teams/a.yaml", 0, "the path is tidied"},
      {"./teams/a.yaml", 0, "so is this one"},
      {"old/platform/a.yaml", 0, "the longest name wins"},
      {"my-platform/a.yaml", -1, "only whole parts count"},
      {"platform/team-x/a.yaml", -1, "only the file's own folder counts"},
      {"/srv/rules/a.yaml", 20, "an absolute path"},
      {"srv/rules/a.yaml", -1, "which a relative one is not"},
      {"platform", -1, "a file, not a folder"},
      {"a.yaml", -1, "no folder"},
      {"", -1, "nothing"},
  };
  for (const Row& row : rows) {
    const PrecedenceBand* band = band_of(row.file, kBands);
    EXPECT_EQ(band != nullptr ? band->from : -1, row.from) << row.file << ": " << row.why;
  }
  EXPECT_EQ(band_of("old/platform/a.yaml", kBands)->to, 9);
}

base::SourceText file(const std::string& path, const std::string& set, const std::string& rules,
                      const std::string& more = {}) {
  return {path, "apiVersion: berth.dev/v1alpha1\nkind: RuleSet\nmetadata: {name: " + set + "}\n" +
                    more + "rules:\n" + rules};
}

LoadResult load_banded(const std::vector<base::SourceText>& files, std::string folder = {}) {
  LoadOptions options;
  options.bands.assign(kBands.begin(), kBands.end());
  options.folder = std::move(folder);
  return load(files, options);
}

std::string told(const base::Problems& problems) {
  std::string out;
  for (const base::Problem& problem : problems.list()) {
    out += std::string(to_text(problem.severity)) + " " + problem.code + " " +
           to_text(problem.place) + ": " + problem.text + "; " + problem.hint + "\n";
  }
  return out;
}

TEST(PrecedenceBand, MovesTheDefaultIntoTheBand) {
  const LoadResult result =
      load_banded({file("platform/p.yaml", "p", "- {name: a, then: {queue: p}}\n"),
                   file("teams/t.yaml", "t", "- {name: a, then: {queue: t}}\n"),
                   file("old/platform/o.yaml", "o", "- {name: a, then: {queue: o}}\n")});
  ASSERT_NE(result.rules, nullptr) << told(result.problems);
  EXPECT_EQ(result.rules->rules[0].precedence, 500);
  EXPECT_EQ(result.rules->rules[1].precedence, 100);
  EXPECT_EQ(result.rules->rules[2].precedence, 9);
  EXPECT_TRUE(result.problems.empty()) << told(result.problems);
}

TEST(PrecedenceBand, TakesWhatLiesInsideAndRefusesWhatDoesNot) {
  const std::string two =
      "- {name: a, precedence: 499, then: {queue: x}}\n"
      "- {name: b, precedence: 500, then: {scheduler: x}}\n";
  const LoadResult result = load_banded({file("teams/t.yaml", "t", two)});
  EXPECT_EQ(result.rules, nullptr);
  EXPECT_EQ(told(result.problems),
            "error precedence-band teams/t.yaml:6:25: precedence is 500; expected 0 to 499, the "
            "band of directory 'teams/'; only files of another directory may have it\n");
}

TEST(PrecedenceBand, RefusesTheFilesPrecedenceOnce) {
  const std::string two =
      "- {name: a, then: {queue: x}}\n- {name: b, then: {scheduler: x}}\n"
      "- {name: c, precedence: 600, then: {runtimeClass: x}}\n";
  const LoadResult result = load_banded({file("platform/p.yaml", "p", two, "precedence: 100\n")});
  ASSERT_EQ(result.problems.list().size(), 1U) << told(result.problems);
  EXPECT_EQ(result.problems.list()[0].place.line, 4);
  EXPECT_EQ(result.problems.list()[0].code, "precedence-band");
}

TEST(PrecedenceBand, WarnsOfAFileThatNoBandHolds) {
  const LoadResult result =
      load_banded({file("other/t.yaml", "t", "- {name: a, precedence: 900, then: {queue: x}}\n")});
  ASSERT_NE(result.rules, nullptr);
  EXPECT_EQ(told(result.problems),
            "warning no-band other/t.yaml:1:1: the file is in no directory of "
            "precedenceBands: its rules may have any precedence; move it, or give its directory "
            "a band\n");
  EXPECT_EQ(result.rules->rules[0].precedence, 900);
}

TEST(PrecedenceBand, TakesTheStatedFolderForFilesThatHaveNone) {
  const std::string rule = "- {name: a, precedence: 100, then: {queue: x}}\n";
  EXPECT_EQ(load_banded({file("t.yaml", "t", rule)}, "platform").rules, nullptr);
  EXPECT_NE(load_banded({file("t.yaml", "t", rule)}, "teams").rules, nullptr);
}

TEST(PrecedenceBand, IsNoMatterWhereNoneIsConfigured) {
  const std::vector<base::SourceText> files = {
      file("platform/p.yaml", "p", "- {name: a, then: {queue: p}}\n")};
  const LoadResult result = load(files, {});
  ASSERT_NE(result.rules, nullptr);
  EXPECT_EQ(result.rules->rules[0].precedence, 100);
  EXPECT_TRUE(result.problems.empty());
}

}  // namespace
}  // namespace berth::rules
