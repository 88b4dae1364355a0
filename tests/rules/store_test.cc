#include "rules/store.h"

#include <gtest/gtest.h>

namespace berth::rules {
namespace {

constexpr const char* kGood = R"(
apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: one
  then: {runtimeClass: nvidia}
)";

struct Folder {
  std::vector<base::SourceText> texts;
  bool readable = true;

  Store::ReadTexts reader() {
    return [this](base::Problems& problems) {
      if (!readable) {
        base::Problem gone;
        gone.code = "unreadable";
        gone.place.file = "a.yaml";
        gone.text = "cannot be read: gone";
        problems.add(std::move(gone));
      }
      return readable ? texts : std::vector<base::SourceText>{};
    };
  }
};

TEST(Store, KeepsTheLastGoodSet) {
  Folder folder{{{"a.yaml", kGood}}};
  Store store(folder.reader(), {});
  EXPECT_EQ(store.published().get(), nullptr);
  EXPECT_EQ(store.refresh(), Refresh::kReplaced);
  EXPECT_EQ(store.refresh(), Refresh::kUnchanged);
  const auto good = store.published().get();
  ASSERT_NE(good, nullptr);

  folder.texts = {{"a.yaml", "kind: RuleSt\n"}};
  EXPECT_EQ(store.refresh(), Refresh::kRefused);
  EXPECT_EQ(store.refresh(), Refresh::kUnchanged) << "the same bad content is told once";
  EXPECT_EQ(store.published().get(), good);
  ASSERT_NE(store.failure(), nullptr);
  EXPECT_TRUE(store.failure()->problems.has_errors());

  folder.readable = false;
  EXPECT_EQ(store.refresh(), Refresh::kRefused);
  EXPECT_EQ(store.published().get(), good);

  folder.readable = true;
  folder.texts = {{"a.yaml", kGood}, {"b.yaml", std::string(kGood)}};
  EXPECT_EQ(store.refresh(), Refresh::kReplaced);
  EXPECT_EQ(store.failure(), nullptr);
  EXPECT_NE(store.published().get()->generation, good->generation);
}

TEST(Store, NeverPublishesABadFirstSet) {
  Folder folder{{{"a.yaml", "nonsense"}}};
  Store store(folder.reader(), {});
  EXPECT_EQ(store.refresh(), Refresh::kRefused);
  EXPECT_EQ(store.published().get(), nullptr);
}

}  // namespace
}  // namespace berth::rules
