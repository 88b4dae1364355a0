#include "certs/store.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "certs/self_signed.h"

namespace berth::certs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'700'000'000;

SelfSigned new_pair() {
  return *make_self_signed({.names = {"berth.ns.svc"}, .now = kNow});
}

/// A mounted volume as the kubelet makes it: files are links through "..data" to a generation.
class CertificateStore : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "berth-certs-XXXXXX";
    root_ = mkdtemp(pattern.data());
    fs::create_symlink("..data/tls.crt", root_ / "tls.crt");
    fs::create_symlink("..data/tls.key", root_ / "tls.key");
    files_ = {root_ / "tls.crt", root_ / "tls.key"};
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  void publish(const std::string& generation, const std::string& chain, const std::string& key) {
    fs::create_directory(root_ / generation);
    write(root_ / generation / "tls.crt", chain);
    write(root_ / generation / "tls.key", key);
    fs::remove(root_ / "..data_tmp");
    fs::create_symlink(generation, root_ / "..data_tmp");
    fs::rename(root_ / "..data_tmp", root_ / "..data");
  }

  void expect_refused(const char* text, std::uint64_t failures, std::uint64_t generation) {
    const auto reload = store_.reload_from_files(files_, kNow);
    ASSERT_FALSE(reload.has_value());
    EXPECT_THAT(reload.error().text, HasSubstr(text));
    ASSERT_NE(store_.refusal(), nullptr);
    EXPECT_EQ(store_.refusal()->text, reload.error().text);
    EXPECT_EQ(store_.stats().failures.load(), failures);
    EXPECT_EQ(store_.stats().generation.load(), generation);
  }

  fs::path root_;
  PairFiles files_;
  Store store_;
};

TEST_F(CertificateStore, StartsEmptyAndTakesTheFirstPair) {
  EXPECT_EQ(store_.current(), nullptr);
  const SelfSigned pair = new_pair();
  publish("one", pair.leaf_pem, pair.key_pem);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kReplaced);
  ASSERT_NE(store_.current(), nullptr);
  EXPECT_EQ(store_.current()->generation, 1U);
  EXPECT_NE(store_.current()->context, nullptr);
  EXPECT_EQ(store_.stats().not_after.load(), kNow + 30 * kDaySeconds);
}

TEST_F(CertificateStore, ReloadsByContentThroughASwappedLink) {
  const SelfSigned pair = new_pair();
  publish("one", pair.leaf_pem, pair.key_pem);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kReplaced);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kUnchanged);
  publish("same", pair.leaf_pem, pair.key_pem);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kUnchanged) << "same bytes, new files";
  const auto before = store_.current();
  const SelfSigned next = new_pair();
  publish("two", next.leaf_pem, next.key_pem);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kReplaced);
  EXPECT_EQ(store_.current()->generation, 2U);
  EXPECT_NE(store_.current()->context, before->context);
  EXPECT_EQ(before->bundle.chain_pem, pair.leaf_pem) << "what a reader holds never changes";
}

TEST_F(CertificateStore, KeepsTheLastGoodPairAndCountsEachRefusalOnce) {
  const SelfSigned pair = new_pair();
  const SelfSigned next = new_pair();
  publish("one", pair.leaf_pem, pair.key_pem);
  ASSERT_TRUE(store_.reload_from_files(files_, kNow).has_value());

  publish("half", next.leaf_pem, pair.key_pem);
  expect_refused("private key does not belong", 1, 1);
  expect_refused("private key does not belong", 1, 1);
  publish("empty", "", "");
  expect_refused("no certificate found", 2, 1);
  fs::remove(root_ / "..data");
  expect_refused("cannot open", 3, 1);
  const SelfSigned old = *make_self_signed({.names = {"a"}, .now = kNow - 60 * kDaySeconds});
  publish("expired", old.leaf_pem, old.key_pem);
  expect_refused("expired", 4, 1);

  publish("two", next.leaf_pem, next.key_pem);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kReplaced);
  EXPECT_EQ(store_.refusal(), nullptr) << "a good reload clears the reason";
  EXPECT_EQ(store_.current()->generation, 2U);
}

TEST_F(CertificateStore, ClearsTheReasonWhenTheGoodFilesComeBack) {
  const SelfSigned pair = new_pair();
  publish("one", pair.leaf_pem, pair.key_pem);
  ASSERT_TRUE(store_.reload_from_files(files_, kNow).has_value());
  publish("bad", "", "");
  expect_refused("no certificate", 1, 1);
  publish("back", pair.leaf_pem, pair.key_pem);
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kUnchanged);
  EXPECT_EQ(store_.refusal(), nullptr);
}

TEST_F(CertificateStore, TakesAPairOnceItsTimeHasCome) {
  const SelfSigned pair = new_pair();
  publish("early", pair.leaf_pem, pair.key_pem);
  EXPECT_FALSE(store_.reload_from_files(files_, kNow - 2 * kBackdateSeconds).has_value());
  EXPECT_EQ(*store_.reload_from_files(files_, kNow), Reload::kReplaced);
}

TEST_F(CertificateStore, RefusesAFolderAndAHugeFile) {
  fs::create_directory(root_ / "..data");
  fs::create_directory(root_ / "..data" / "tls.crt");
  EXPECT_FALSE(store_.reload_from_files(files_, kNow).has_value());
  fs::remove_all(root_ / "..data");
  publish("huge", std::string((1U << 20U) + 1, 'x'), "");
  const auto reload = store_.reload_from_files(files_, kNow);
  ASSERT_FALSE(reload.has_value());
  EXPECT_THAT(reload.error().text, HasSubstr("larger than 1 MiB"));
}

}  // namespace
}  // namespace berth::certs
