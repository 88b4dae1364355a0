// Which nodes can take a pod, against kube-scheduler's own filters: ten thousand random pairs of a
// pod and a node. The other side is tests/scheduler-reference, a Go program that
// tools/reference-bin builds; where that has not been done, this says so and skips.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kube/json.h"
#include "kube/selector.h"
#include "rules/node_sieve.h"
#include "tests/support/command.h"
#include "topology/builder.h"
#include "topology/candidates.h"
#include "topology/capacity.h"

namespace berth::rules {
namespace {

namespace fs = std::filesystem;
using topology::Builder;
using topology::BuildOptions;
using topology::Node;
using topology::Snapshot;

constexpr int kQuestions = 500;
constexpr int kNodes = 20;

// What one unit of a node's GPU resource is.
struct Shape {
  const char* labels;
  const char* allocatable;
  bool whole;  // whole cards, or none: what Capacity counts is what the scheduler counts
  std::vector<const char*> resources;
};

const Shape kShapes[] = {
    {R"("nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"8")",
     R"("nvidia.com/gpu":"8")",
     true,
     {"nvidia.com/gpu"}},
    {R"("nvidia.com/gpu.product":"NVIDIA-L40S","nvidia.com/gpu.count":"4")",
     R"("nvidia.com/gpu":"3")",
     true,
     {"nvidia.com/gpu"}},
    {R"("nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB","nvidia.com/gpu.count":"8",)"
     R"("nvidia.com/mig.strategy":"mixed")",
     R"("nvidia.com/gpu":"2","nvidia.com/mig-1g.10gb":"8","nvidia.com/mig-2g.20gb":"0")",
     true,
     {"nvidia.com/gpu", "nvidia.com/mig-1g.10gb"}},
    {R"("nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB-MIG-1g.10gb","nvidia.com/gpu.count":"56",)"
     R"("nvidia.com/mig.strategy":"single")",
     R"("nvidia.com/gpu":"7")",
     false,
     {"nvidia.com/gpu"}},
    {R"("nvidia.com/gpu.product":"NVIDIA-L4-SHARED","nvidia.com/gpu.count":"1",)"
     R"("nvidia.com/gpu.replicas":"4","nvidia.com/gpu.sharing-strategy":"time-slicing")",
     R"("nvidia.com/gpu":"4")",
     false,
     {"nvidia.com/gpu"}},
    {R"("nvidia.com/gpu.product":"NVIDIA-L4","nvidia.com/gpu.count":"1",)"
     R"("nvidia.com/gpu.replicas":"10","nvidia.com/gpu.sharing-strategy":"mps")",
     R"("nvidia.com/gpu.shared":"10")",
     false,
     {"nvidia.com/gpu.shared"}},
    {R"("amd.com/gpu.product-name":"Instinct_MI210")",
     R"("amd.com/gpu":"8")",
     true,
     {"amd.com/gpu"}},
    {R"("kind":"cpu")", R"("cpu":"64")", true, {}},
};
constexpr const char* kResources[] = {
    "nvidia.com/gpu", "nvidia.com/gpu",         "nvidia.com/gpu",
    "amd.com/gpu",    "nvidia.com/mig-1g.10gb", "nvidia.com/gpu.shared",
};

// Random objects as JSON texts.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return below(n) == 0; }

  std::string node(int number, const Shape& shape) {
    std::string labels =
        std::string(shape.labels) + R"(,"kubernetes.io/hostname":")" + node_name(number) + "\"";
    for (const char* key : kKeys) {
      if (!one_in(3)) labels += std::string(",\"") + key + "\":\"" + value() + "\"";
    }
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + node_name(number) +
           R"(","labels":{)" + labels + R"(}},"spec":{"unschedulable":)" +
           (one_in(10) ? "true" : "false") + R"(,"taints":[)" +
           list(below(3), [this] { return taint(); }) + R"(]},"status":{"allocatable":{"pods":")" +
           std::to_string(one_in(2) ? 110 : 1 + below(3)) + "\"," + shape.allocatable +
           R"(},"conditions":[{"type":"Ready","status":"True"}]}})";
  }

  // With a node: bound there.
  std::string pod(int number, int node, const std::string& resource) {
    std::string spec;
    const bool easy = one_in(2);
    if (node >= 0) spec += R"("nodeName":")" + node_name(node) + "\",";
    if (!easy && one_in(3)) spec += R"("nodeSelector":{")" + key() + R"(":")" + value() + "\"},";
    if (!easy && !one_in(3)) {
      spec += R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[)" +
              list(below(4), [this] { return term(); }) + "]}}},";
    }
    spec += R"("tolerations":[)" +
            (easy ? R"({"operator":"Exists"})" : list(below(5), [this] { return toleration(); })) +
            "],";
    if (one_in(4)) {
      spec += R"("initContainers":[)" +
              list(1 + below(2),
                   [&] {
                     return container(resource, one_in(2) ? R"("restartPolicy":"Always",)" : "");
                   }) +
              "],";
    }
    spec += R"("containers":[)" + list(1 + below(2), [&] { return container(resource, ""); }) + "]";
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"team","name":"p)" +
           std::to_string(number) + R"("},"spec":{)" + spec + R"(},"status":{"phase":")" +
           (node < 0    ? "Pending"
            : one_in(6) ? "Succeeded"
            : one_in(6) ? "Failed"
                        : "Running") +
           "\"}}";
  }

  static std::string node_name(int number) { return "n" + std::to_string(100 + number); }

 private:
  static constexpr const char* kKeys[] = {"zone", "tier", "pool"};
  static constexpr const char* kValues[] = {"", "a", "b", "1", "2", "03", "-4", "x5"};
  static constexpr const char* kEffects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};

  std::string key() { return one_in(6) ? "absent" : kKeys[below(3)]; }
  std::string value() { return kValues[below(8)]; }

  template <typename Make>
  static std::string list(int count, Make make) {
    std::string out;
    for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + make();
    return out;
  }

  std::string taint() {
    return R"({"key":")" + std::string(one_in(2) ? "nvidia.com/gpu" : kKeys[below(3)]) +
           R"(","value":")" + value() + R"(","effect":")" + kEffects[below(3)] + "\"}";
  }

  std::string toleration() {
    if (one_in(6)) return R"({"operator":"Exists"})";
    std::string out = R"({"key":")" + std::string(one_in(2) ? "nvidia.com/gpu" : kKeys[below(3)]);
    switch (below(6)) {
      case 0:
        out += R"(","value":")" + value();
        break;
      case 1:
        out += R"(","operator":"Equal","value":")" + value();
        break;
      case 2:
        out += std::string(R"(","operator":")") + (one_in(2) ? "Gt" : "Lt") + R"(","value":")" +
               std::to_string(below(4) - 1);
        break;
      default:
        out += R"(","operator":"Exists)";
    }
    if (!one_in(3)) out += std::string(R"(","effect":")") + kEffects[below(3)];
    return out + "\"}";
  }

  std::string requirement() {
    constexpr const char* kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    const int op = below(6);
    std::string out =
        R"({"key":")" + key() + R"(","operator":")" + std::string(kOperators[op]) + "\"";
    const int values = op >= 4 ? 1 : op >= 2 ? 0 : 1 + below(3);
    if (values == 0) return out + "}";
    return out + R"(,"values":[)" + list(values, [this] { return "\"" + value() + "\""; }) + "]}";
  }

  std::string term() {
    std::string out = R"({"matchExpressions":[)" + list(below(3), [this] { return requirement(); });
    if (!one_in(6)) return out + "]}";
    return out + R"(],"matchFields":[{"key":"metadata.name","operator":")" +
           (one_in(2) ? "In" : "NotIn") + R"(","values":[")" + node_name(below(kNodes)) + "\"]}]}";
  }

  std::string container(const std::string& resource, const std::string& more) {
    const std::string amounts =
        "{\"" + resource + "\":\"" + std::to_string(1 + below(one_in(3) ? 8 : 3)) + "\"}";
    return R"({"name":"c",)" + more + R"("image":"i","resources":{"limits":)" + amounts +
           R"(,"requests":)" + amounts + "}}";
  }

  std::mt19937 random_;
};

struct Question {
  std::vector<std::string> nodes;
  std::vector<const Shape*> shapes;
  std::vector<std::string> bound;
  std::string pod;
};

Question make_question(Maker& maker) {
  Question out;
  for (int i = 0; i < kNodes; ++i) {
    out.shapes.push_back(&kShapes[maker.below(8)]);
    out.nodes.push_back(maker.node(i, *out.shapes.back()));
  }
  for (int i = maker.below(25); i > 0; --i) {
    const int node = maker.below(kNodes);
    const auto& offered = out.shapes[static_cast<std::size_t>(node)]->resources;
    const int most = static_cast<int>(offered.size());
    if (most > 0)
      out.bound.push_back(maker.pod(i, node, offered[static_cast<std::size_t>(maker.below(most))]));
  }
  out.pod = maker.pod(0, -1, kResources[maker.below(6)]);
  return out;
}

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

// What the scheduler says of one node.
struct Verdict {
  bool affinity, taints, cordon, empty, free;
};

class SchedulerReference : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string tool = std::string(BERTH_SOURCE_DIR) + "/tools/reference-bin scheduler";
    program_ = berth::testing::output_of(tool + " --check 2>/dev/null");
    while (!program_.empty() && program_.back() == '\n') program_.pop_back();
    if (program_.empty())
      GTEST_SKIP() << "kube-scheduler's filters have not been built; run " << tool;
  }

  // One line of answers a question.
  std::vector<std::string> ask(const std::vector<Question>& questions) const {
    const fs::path file =
        fs::temp_directory_path() / ("berth-scheduler-" + std::to_string(getpid()));
    {
      std::ofstream out(file);
      for (const Question& question : questions) {
        out << R"({"nodes":[)" << joined(question.nodes) << R"(],"pods":[)"
            << joined(question.bound) << R"(],"pod":)" << question.pod << "}\n";
      }
    }
    std::istringstream lines(
        berth::testing::output_of("'" + program_ + "' < '" + file.string() + "' 2>/dev/null"));
    fs::remove(file);
    std::vector<std::string> out;
    for (std::string line; std::getline(lines, line);) out.push_back(line);
    return out;
  }

  std::string program_;
};

std::shared_ptr<const Snapshot> picture_of(const std::vector<std::string>& objects) {
  BuildOptions options;
  options.levels = {{"node", {"kubernetes.io/hostname"}}};
  Builder builder(options);
  for (const std::string& text : objects)
    builder.add(kube::parse_json(text, builder.arena()).value());
  return builder.finish();
}

std::shared_ptr<const Snapshot> picture_of(const Question& question) {
  std::vector<std::string> objects = question.nodes;
  objects.insert(objects.end(), question.bound.begin(), question.bound.end());
  return picture_of(objects);
}

// Whole cards of one name: what Capacity speaks of.
std::optional<topology::Demand> whole_demand(const kube::Pod& pod) {
  const auto names = pod.resource_names();
  if (names.size() != 1) return std::nullopt;
  const kube::GpuResource gpu = kube::classify_gpu_resource(names[0]);
  if (gpu.form != kube::GpuForm::kWhole) return std::nullopt;
  topology::Demand out;
  out.pod_spec = pod.spec();
  out.gpus = pod.effective_request(names[0]).rounded_up();
  out.vendor = gpu.vendor;
  return out;
}

bool offers_all(const Node& node, const kube::Pod& pod) {
  for (const std::string_view name : pod.resource_names()) {
    const auto units = kube::Quantity::parse(node.allocatable[name]);
    if (!units || units->sign() <= 0) return false;
  }
  return true;
}

// Judges one question; gives how many nodes can take the pod.
int compare(const Question& question, const std::string& line) {
  base::Arena arena;
  const auto answer = kube::parse_json(line, arena);
  EXPECT_TRUE(answer) << line;
  const kube::Json object = kube::parse_json(question.pod, arena).value();
  const kube::Pod pod(object);
  const auto snapshot = picture_of(question);
  const topology::PodRecord record = topology::read_pod_record(object, "berth.dev");
  const topology::NodeSet can = topology::candidates(*snapshot, record);
  const topology::NodeSet admitted = snapshot->index().admitted(pod.spec());
  const topology::NodeSet tolerated = snapshot->index().tolerated(pod.spec()["tolerations"], {});
  const auto demand = whole_demand(pod);
  std::vector<std::string> now;
  std::vector<std::string> ever;
  if (demand) {
    const topology::Capacity capacity(*snapshot, *demand);
    for (const topology::DomainRoom& room : capacity.domains(0)) {
      if (room.fits_now) now.emplace_back(room.name);
      if (room.fits_ever) ever.emplace_back(room.name);
    }
  }
  int taken = 0;
  for (std::size_t i = 0; i < question.nodes.size(); ++i) {
    const Node& node = snapshot->nodes()[i];
    const auto says = [&](const char* filter) {
      return (*answer)[filter].string_or_empty().at(i) == '1';
    };
    const Verdict real{says("affinity"), says("taints"), says("cordon"), says("empty"),
                       says("free")};
    const std::string where = question.nodes[i] + "\n" + question.pod;
    EXPECT_EQ(admitted.contains(i), real.affinity) << where;
    EXPECT_EQ(kube::node_affinity_matches(pod.spec(), node.labels, node.name), real.affinity)
        << where;
    EXPECT_EQ(tolerated.contains(i), real.taints) << where;
    // A cordoned node is on its way out: it never counts, though a pod that tolerates everything
    // could land there.
    EXPECT_TRUE(real.cordon || !node.schedulable) << where;
    const bool open = real.affinity && real.taints && node.schedulable;
    EXPECT_EQ(can.contains(i), open && real.free) << where << "\n" << joined(question.bound);
    taken += can.contains(i) ? 1 : 0;
    const auto alone = term_without_nodes(pod, {}, *picture_of({question.nodes[i]}));
    EXPECT_EQ(!alone.has_value(), real.affinity && real.taints && offers_all(node, pod))
        << where << "\n"
        << alone.value_or("");
    if (!demand || !question.shapes[i]->whole) continue;
    const auto has = [&node](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), node.name) != names.end();
    };
    EXPECT_EQ(has(now), open && real.free) << where << "\n" << joined(question.bound);
    EXPECT_EQ(has(ever), open && real.empty) << where << "\n" << joined(question.bound);
  }
  return taken;
}

TEST_F(SchedulerReference, AgreesOnWhichNodesCanTakeAPod) {
  Maker maker(20260801);
  std::vector<Question> questions;
  for (int i = 0; i < kQuestions; ++i) questions.push_back(make_question(maker));
  const auto answers = ask(questions);
  ASSERT_EQ(answers.size(), questions.size());
  int taken = 0;
  for (std::size_t i = 0; i < questions.size() && !HasFailure(); ++i)
    taken += compare(questions[i], answers[i]);
  std::printf("scheduler reference: %d pairs compared, %d can be placed\n", kQuestions * kNodes,
              taken);
  EXPECT_GT(taken, kQuestions * kNodes / 50) << "too few pairs fit to tell anything";
}

}  // namespace
}  // namespace berth::rules
