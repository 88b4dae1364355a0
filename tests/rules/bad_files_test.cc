// Every file in tests/bad is wrong in one way, and its first line says what berth makes of it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rules/loader.h"
#include "rules/problem_codes.h"

namespace berth::rules {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> bad_files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(fs::path(BERTH_SOURCE_DIR) / "tests/bad")) {
    if (entry.path().extension() == ".yaml") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

base::SourceText read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return {path.filename(), std::move(text).str()};
}

// Files named band-* are read as a team's, or as those of nobody.
LoadOptions options_for(const fs::path& path) {
  LoadOptions options;
  const std::string name = path.stem();
  if (!name.starts_with("band-")) return options;
  options.bands = {{"teams", 0, 499}};
  if (name != "band-of-none") options.folder = "teams";
  return options;
}

std::string first_line(std::string text) {
  return text.substr(0, text.find('\n'));
}

class BadFile : public testing::TestWithParam<fs::path> {};

TEST_P(BadFile, GivesExactlyTheProblemOfItsFirstLine) {
  const base::SourceText source = read(GetParam());
  const LoadResult result = load(std::span(&source, 1), options_for(GetParam()));
  std::string found;
  for (const base::Problem& problem : result.problems.list()) {
    found += "# expect: " + first_line(to_text(problem)) + '\n';
  }
  EXPECT_EQ(found, std::string(source.line(1)) + '\n');
  EXPECT_EQ(result.rules == nullptr, result.problems.has_errors());
}

INSTANTIATE_TEST_SUITE_P(Files, BadFile, testing::ValuesIn(bad_files()), [](const auto& row) {
  std::string name = row.param.stem();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

std::set<std::string, std::less<>> codes_of_bad_files() {
  std::set<std::string, std::less<>> out;
  for (const fs::path& path : bad_files()) {
    const base::SourceText source = read(path);
    const LoadResult result = load(std::span(&source, 1), options_for(path));
    for (const base::Problem& problem : result.problems.list()) out.insert(problem.code);
  }
  return out;
}

TEST(BadFiles, ShowEveryCodeOfTheTableAndNoOther) {
  std::set<std::string, std::less<>> table;
  for (const ProblemCode& code : problem_codes()) table.emplace(code.code);
  table.erase("unknown-object");  // needs a cluster; see cluster_names_test
  EXPECT_EQ(codes_of_bad_files(), table);
}

TEST(BadFiles, AreManyEnough) {
  EXPECT_GE(bad_files().size(), 60U);
}

}  // namespace
}  // namespace berth::rules
