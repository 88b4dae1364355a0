// A second webhook edits the pod after berth, so the API server calls berth again (reinvocation
// policy IfNeeded). The second answer changes nothing that the first one decided.
#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

constexpr char kLabel[] = "mesh.example.com/injected";

json operation(const char* op, const std::string& path, json value) {
  return {{"op", op}, {"path", path}, {"value", std::move(value)}};
}

/// Adds a label, as many injectors do to mark what they have seen.
json add_label(const json& object) {
  const json labels = object["metadata"].value("labels", json::object());
  if (labels.contains(kLabel)) return json::array();
  json wanted = labels;
  wanted[kLabel] = "yes";
  return json::array({operation("add", "/metadata/labels", wanted)});
}

/// Puts a container in front of all others, which moves every index that a patch may name.
json put_proxy_in_front(const json& object) {
  if (object["spec"]["containers"][0]["name"] == "mesh-proxy") return json::array();
  const json proxy = {{"name", "mesh-proxy"}, {"image", "registry.example.com/mesh/proxy:1"}};
  return json::array({operation("add", "/spec/containers/0", proxy)});
}

class Reinvocation : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    E2E_ASSERT_OK(start_berth(example_rules()));
    for (const auto& manifest : admitted_pod_manifests())
      alone_.push_back(comparable(create(manifest)));
  }

  json create(const std::filesystem::path& manifest) {
    const Answer created =
        kubectl()({"create", "-f", manifest.string(), "-o", "json", "--dry-run=server"});
    EXPECT_TRUE(created.ok()) << manifest << ": " << created.err;
    return created.json();
  }

  std::vector<json> alone_;  // what berth makes of each manifest when nobody edits after it
};

TEST_F(Reinvocation, AfterALabelGivesTheSamePod) {
  ASSERT_FALSE(HasFailure());
  E2E_ASSERT_OK(start_later_webhook(add_label));
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    SCOPED_TRACE(admitted_pod_manifests()[i].filename());
    const double calls = berth().requests();
    const json got = comparable(create(admitted_pod_manifests()[i]));
    EXPECT_EQ(berth().requests() - calls, 2) << "berth was not called twice";
    json wanted = alone_[i];
    wanted["metadata"]["labels"][kLabel] = "yes";
    EXPECT_EQ(difference(got, wanted), "");
  }
}

TEST_F(Reinvocation, AfterAContainerInFrontGivesTheSamePodBehindIt) {
  ASSERT_FALSE(HasFailure());
  E2E_ASSERT_OK(start_later_webhook(put_proxy_in_front));
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    SCOPED_TRACE(admitted_pod_manifests()[i].filename());
    const double calls = berth().requests();
    json got = comparable(create(admitted_pod_manifests()[i]));
    EXPECT_EQ(berth().requests() - calls, 2) << "berth was not called twice";
    json& containers = got["spec"]["containers"];
    ASSERT_EQ(containers[0]["name"], "mesh-proxy");
    EXPECT_FALSE(containers[0].contains("env")) << "the proxy asks for no GPU";
    containers.erase(0);
    EXPECT_EQ(difference(got, alone_[i]), "");
  }
}

}  // namespace
}  // namespace berth::e2e
