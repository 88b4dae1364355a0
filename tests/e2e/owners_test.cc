// Owners and the pods that the real controllers make for them: both doors at once. What is stored
// equals what `berth explain` says about the reviews that the API server sent.
#include <algorithm>

#include "tests/e2e/end_to_end.h"

namespace berth::e2e {
namespace {

using nlohmann::json;

/// Whether the rules have something to say about the owner.
enum class Effect { kChanged, kLeftAlone };

struct OwnerCase {
  std::string name;
  std::string from;  ///< below tests/data/cases: an AdmissionReview, or a pod to make a template of
  std::size_t pods;
  Effect effect = Effect::kChanged;
};

const OwnerCase owner_cases[] = {
    {"a server of two replicas", "reviews/deployment-vllm.owner.json", 2},
    {"intent on the Deployment, not on its template",
     "reviews/deployment-intent-on-owner-only.owner.json", 1},
    {"no replica, so no pod", "reviews/deployment-zero-replicas.owner.json", 0},
    {"two GPUs, memory for /dev/shm of its own", "pods/21-vllm-deployment-tp2.yaml", 2},
    {"a proxy in front of the GPU container", "pods/24-kserve-raw-proxy-first.yaml", 1},
    {"another vendor's GPUs", "pods/40-amd-vllm.yaml", 1, Effect::kLeftAlone},
    {"a product chosen by the author", "pods/33-ollama-statefulset.yaml", 1},
    {"an Indexed Job of four pods", "reviews/job-indexed.owner.json", 4},
    {"a Job without labels", "reviews/job-plain.owner.json", 1},
    {"a StatefulSet, whose pods have names", "reviews/statefulset.owner.json", 2},
};

/// What an author would have written: without what the API server filled in.
json as_written(json object) {
  json metadata = json::object();
  for (const char* key : {"name", "namespace", "labels", "annotations"}) {
    if (object["metadata"].contains(key)) metadata[key] = object["metadata"][key];
  }
  object["metadata"] = metadata;
  object.erase("status");
  return object;
}

bool is_token_volume(const json& element) {
  return element["name"].get<std::string>().starts_with("kube-api-access-");
}

/// The pod as the template of a Deployment, without what admission put into the pod.
json template_of(const json& pod) {
  json spec = pod["spec"];
  for (const char* filled : {"priority", "preemptionPolicy", "nodeName", "hostname", "subdomain"}) {
    spec.erase(filled);
  }
  auto drop_token = [](json& holder, const char* key) {
    if (!holder.contains(key)) return;
    json kept = json::array();
    for (const json& element : holder[key]) {
      if (!is_token_volume(element)) kept.push_back(element);
    }
    holder[key] = kept;
  };
  drop_token(spec, "volumes");
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list)) continue;
    for (json& container : spec[list]) drop_token(container, "volumeMounts");
  }
  json metadata = {{"labels", {{"app", "made-from-pod"}}}};
  const json& own = pod["metadata"];
  const json labels = own.value("labels", json::object());
  for (const auto& [key, value] : labels.items()) {
    if (key.starts_with("berth.dev/")) metadata["labels"][key] = value;
  }
  if (own.contains("annotations")) metadata["annotations"] = own["annotations"];
  return {{"metadata", metadata}, {"spec", spec}};
}

json deployment_of(const json& pod, const std::string& name, std::size_t replicas) {
  const json pod_template = template_of(pod);
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", name}, {"namespace", pod["metadata"]["namespace"]}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", {{"app", "made-from-pod"}}}}},
            {"template", pod_template}}}};
}

std::vector<std::string> sorted_texts(const std::vector<json>& objects) {
  std::vector<std::string> texts;
  texts.reserve(objects.size());
  for (const json& object : objects) texts.push_back(object.dump(1));
  std::sort(texts.begin(), texts.end());
  return texts;
}

class StoredOwner : public EndToEndWithControllers {
 protected:
  void SetUp() override {
    EndToEndWithControllers::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Registration registration;
    registration.resources = {
        {"", "pods"}, {"apps", "deployments"}, {"apps", "statefulsets"}, {"batch", "jobs"}};
    E2E_ASSERT_OK(start_berth(example_rules(), registration));
  }

  json owner_for(const OwnerCase& owner, int number) {
    const std::filesystem::path file = data_folder() / "cases" / owner.from;
    if (file.extension() == ".json") {
      return as_written(json::parse(read_file(file))["request"]["object"]);
    }
    const Answer parsed =
        kubectl()({"create", "--dry-run=client", "-o", "json", "-f", file.string()});
    EXPECT_TRUE(parsed.ok()) << parsed.err;
    return deployment_of(parsed.json(), "made-" + std::to_string(number), owner.pods);
  }

  std::vector<json> pods_in(const std::string& space) {
    std::vector<json> pods;
    const json list = kubectl()({"get", "pods", "-n", space, "-o", "json"}).json();
    for (const json& pod : list.value("items", json::array())) pods.push_back(comparable(pod));
    return pods;
  }

  /// Removes the owner and waits until its pods are gone.
  void remove(const json& owner) {
    const std::string space = owner["metadata"]["namespace"];
    kubectl()({"delete", owner["kind"], owner["metadata"]["name"], "-n", space, "--wait=false"});
    EXPECT_TRUE(wait_until(std::chrono::seconds(60), [&] {
      delete_all_pods(kubectl());
      return pods_in(space).empty();
    }));
  }

  void check(const OwnerCase& owner_case, int number) {
    const json owner = owner_for(owner_case, number);
    const std::string kind = owner["kind"];
    const std::string space = owner["metadata"]["namespace"];
    const std::size_t seen_before = reviews_of("Pod", space).size();
    const Answer created = kubectl().create(owner);
    ASSERT_TRUE(created.ok()) << created.err;
    const std::string review = latest_review(kind);
    const auto wanted = explained(review);
    E2E_ASSERT_OK(wanted);
    const bool changed = *wanted != comparable(json::parse(review)["request"]["object"]);
    EXPECT_EQ(changed, owner_case.effect == Effect::kChanged);
    EXPECT_EQ(difference(comparable(created.json()), *wanted), "");

    std::vector<json> pods;
    EXPECT_TRUE(wait_until(std::chrono::seconds(60),
                           [&] {
                             pods = pods_in(space);
                             return pods.size() == owner_case.pods;
                           }))
        << pods.size() << " pods instead of " << owner_case.pods;
    std::vector<json> wanted_pods;
    std::vector<std::string> reviews = reviews_of("Pod", space);
    reviews.erase(reviews.begin(), reviews.begin() + static_cast<std::ptrdiff_t>(seen_before));
    for (const std::string& pod_review : reviews) {
      const auto pod = explained(pod_review);
      E2E_ASSERT_OK(pod);
      wanted_pods.push_back(*pod);
    }
    EXPECT_EQ(sorted_texts(pods), sorted_texts(wanted_pods));
    remove(owner);
  }
};

TEST_F(StoredOwner, AndItsPodsEqualWhatExplainSays) {
  int number = 0;
  for (const OwnerCase& owner : owner_cases) {
    SCOPED_TRACE(owner.name + " (" + owner.from + ")");
    check(owner, ++number);
    if (HasFatalFailure()) return;
  }
}

TEST_F(StoredOwner, RollsOutANewTemplateThroughBerth) {
  const json pod = gpu_pod("sandbox", "unused", 1, {{"app", "made-from-pod"}});
  json owner = deployment_of(pod, "rolled", 1);
  ASSERT_TRUE(kubectl().create(owner).ok());
  auto tolerating_pods = [&] {
    std::size_t count = 0;
    for (const json& stored : pods_in("sandbox")) {
      for (const json& toleration : stored["spec"]["tolerations"]) {
        if (toleration.value("key", "") == "nvidia.com/gpu") ++count;
      }
    }
    return count;
  };
  EXPECT_TRUE(wait_until(std::chrono::seconds(60), [&] { return tolerating_pods() == 1; }));
  const Answer updated = kubectl()({"set", "image", "deployment/rolled", "-n", "sandbox",
                                    "main=registry.example.com/base/cuda:14"});
  ASSERT_TRUE(updated.ok()) << updated.err;
  // No kubelet makes the new pod ready, so the old one stays: one of each generation.
  EXPECT_TRUE(wait_until(std::chrono::seconds(60), [&] { return tolerating_pods() == 2; }));
  remove(owner);
}

}  // namespace
}  // namespace berth::e2e
