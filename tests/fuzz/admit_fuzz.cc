// The whole decision on foreign bytes: a review (or a bare object) against the example rules on the
// lab cluster. Oracle: no crash, no failed self-check, the patch applies strictly, a second pass
// changes nothing.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/utf8.h"
#include "kube/json_patch.h"
#include "mutate/editor.h"
#include "rules/loader.h"
#include "topology/file_source.h"
#include "webhook/admit.h"
#include "webhook/explain.h"
#include "webhook/reply.h"

namespace {

namespace fs = std::filesystem;
using namespace berth;

base::SourceText text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return {path.filename().string(), std::move(text).str()};
}

struct Fixture {
  std::shared_ptr<const rules::RuleSet> rules;
  std::shared_ptr<const topology::Snapshot> cluster;
  webhook::Limits limits;

  Fixture() {
    const fs::path data = fs::path(BERTH_SOURCE_DIR) / "tests" / "data";
    std::vector<base::SourceText> texts;
    for (const auto& entry : fs::directory_iterator(data / "rule-examples")) {
      if (entry.path().extension() == ".yaml") texts.push_back(text_of(entry.path()));
    }
    texts.emplace_back("more.yaml", R"(
apiVersion: berth.dev/v1alpha1
kind: RuleSet
rules:
- name: everything
  precedence: 10
  match: [{gpus: ">=0"}, {intent: "*"}]
  then:
    containers: all
    env: {FUZZ: "1"}
    shm: 1Gi
    labels: {fuzz: "yes"}
    annotations: {fuzz: "yes"}
    tolerate: [fuzz]
    placement: {products: [H100], spread: zone}
)");
    rules = rules::load(texts, {}).rules;
    const std::vector<base::SourceText> lab{text_of(data / "cases" / "checks" / "lab.yaml")};
    cluster = topology::load_cluster(lab, {}).snapshot;
    if (rules == nullptr || cluster == nullptr) {
      std::fputs("the fixture does not load\n", stderr);
      std::abort();
    }
  }
};

void require(bool holds, const char* what, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(detail.size()), detail.data());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Fixture fixture;
  if (size > 64 * 1024) return 0;
  base::Arena arena;
  const auto document = kube::parse_json({reinterpret_cast<const char*>(data), size}, arena);
  if (!document || !document->is_object()) return 0;
  webhook::Review review;
  if (webhook::is_review(*document)) {
    const auto read = webhook::read_review(*document);
    if (!read) return 0;
    review = *read;
  } else {
    review = webhook::review_of(*document, arena);
  }
  const webhook::World world{*fixture.rules, *fixture.cluster, fixture.limits};
  const webhook::Answer answer = webhook::admit(review, world, arena);
  require(answer.outcome != webhook::Outcome::kFailedSafe, "self-check", answer.reason);
  std::string reply;
  append_reply(reply, review, answer, *fixture.rules, arena);
  require(base::is_utf8(reply), "reply is not UTF-8", reply);
  explain_json(review, answer, world, arena);
  if (!answer.allowed()) return 0;
  const auto applied =
      kube::apply_patch(review.object, mutate::to_patch(answer.changes, arena), arena);
  require(applied.has_value(), "patch does not apply", applied ? "" : applied.error().text);
  require(kube::equal(*applied, answer.object), "patch gives another object",
          kube::to_json(answer.object));
  webhook::Review second = review;
  second.object = answer.object;
  const webhook::Answer again = webhook::admit(second, world, arena);
  require(again.changes.empty(), "second pass changes",
          again.changes.empty() ? std::string_view{} : std::string_view(again.changes[0].path));
  return 0;
}
