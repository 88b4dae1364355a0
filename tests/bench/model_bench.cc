// The live model at scale: 10,000 GPU nodes and 100,000 pods. First sync through the feed from an
// API server in memory (pages of JSON, as large as real ones), resident memory after it, the time
// from an event to the next picture, and what a question to the picture costs. Goals: 250 MB, 5 ms,
// 200 ns a `fits`.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "kube/json.h"
#include "kube/transport.h"
#include "topology/capacity.h"
#include "topology/feed.h"
#include "topology/model_keeper.h"
#include "topology/watched_kinds.h"

namespace berth::topology {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNodes = 10'000;
constexpr int kPods = 100'000;
constexpr int kNodesOfRack = 16;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// ------------------------------------------------------------------ objects

std::string node_name(int i) {
  return "gpu-node-" + std::to_string(100'000 + i);
}

// About 7 kB, like a node with GPU Feature Discovery: labels, conditions, images.
std::string node_text(int i, const std::string& beat = "0") {
  const bool h100 = i % 4 != 0;
  std::string labels =
      R"("kubernetes.io/hostname":")" + node_name(i) + R"(","topology.kubernetes.io/zone":"zone-)" +
      std::to_string(i / 2500) + R"(","fabric.topograph.run/tier-0":"leaf-)" +
      std::to_string(i / kNodesOfRack) + R"(","fabric.topograph.run/tier-1":"spine-)" +
      std::to_string(i / 256) + R"(","nvidia.com/gpu.product":")" +
      (h100 ? "NVIDIA-H100-80GB-HBM3" : "NVIDIA-A100-SXM4-80GB") +
      R"(","nvidia.com/gpu.memory":"81559","nvidia.com/gpu.count":"8")";
  for (int k = 0; k < 40; ++k) {
    labels += R"(,"feature.node.kubernetes.io/cpu-feature-)" + std::to_string(k) + R"(":"true")";
  }
  std::string images;
  for (int k = 0; k < 25; ++k) {
    images += std::string(k == 0 ? "" : ",") +
              R"({"names":["registry.example.com/team/image@sha256:)" + std::string(64, 'a') +
              R"("],"sizeBytes":123456789})";
  }
  return R"({"metadata":{"name":")" + node_name(i) + R"(","uid":"u","resourceVersion":"1",)" +
         R"("labels":{)" + labels + R"(}},"spec":{"taints":[{"key":"nvidia.com/gpu",)" +
         R"("value":"present","effect":"NoSchedule"}]},"status":{"capacity":{"cpu":"192",)" +
         R"("memory":"2Ti","nvidia.com/gpu":"8","pods":"110"},"allocatable":{"cpu":"190",)" +
         R"("memory":"2Ti","nvidia.com/gpu":"8","pods":"110"},"conditions":[{"type":"Ready",)" +
         R"("status":"True","lastHeartbeatTime":")" + beat + R"("}],"images":[)" + images + "]}}";
}

// About 4 kB, a third of it managedFields. Pod i is on node i % kNodes and asks for 0 to 2 GPUs.
std::string pod_text(int i, const std::string& phase = "Running") {
  std::string environment;
  for (int k = 0; k < 12; ++k) {
    environment += std::string(k == 0 ? "" : ",") + R"({"name":"VARIABLE_)" + std::to_string(k) +
                   R"(","value":"some value of a usual length"})";
  }
  const int gpus = i % 10 < 3 ? 1 + i % 2 : 0;
  const std::string resources =
      gpus == 0 ? R"({"requests":{"cpu":"1"}})"
                : R"({"limits":{"nvidia.com/gpu":")" + std::to_string(gpus) +
                      R"("},"requests":{"nvidia.com/gpu":")" + std::to_string(gpus) + R"("}})";
  return R"({"metadata":{"name":"pod-)" + std::to_string(i) + R"(","namespace":"team-)" +
         std::to_string(i / 20 % 100) + R"(","uid":"u)" + std::to_string(i) +
         R"(","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"set-)" +
         std::to_string(i / 20) + R"(","uid":"r","controller":true}],"managedFields":[)" +
         R"({"manager":"kubelet","fieldsV1":{"f:status":{"f:x":")" + std::string(1200, 'm') +
         R"("}}}]},"spec":{"nodeName":")" + node_name(i % kNodes) +
         R"(","containers":[{"name":"main","image":"registry.example.com/team/image:1","env":[)" +
         environment + R"(],"resources":)" + resources +
         R"(}],"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}]},"status":{)" +
         R"("phase":")" + phase + R"(","conditions":[{"type":"Ready","status":"True"},)" +
         R"({"type":"PodScheduled","status":"True"}],"podIP":"10.0.0.1"}})";
}

std::string waiting_pod(int i) {
  return R"({"metadata":{"name":"new-)" + std::to_string(i) +
         R"(","namespace":"team"},"spec":{"containers":[{"name":"main","resources":{"limits":{)" +
         R"("nvidia.com/gpu":"1"}}}],"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}]}})";
}

// ------------------------------------------------------------------ first sync

// An API server in memory: nodes and pods in pages that are written when they are asked for; all
// other collections are empty; watches stay silent until they are stopped.
class Farm : public kube::Transport {
 public:
  base::Status get(const kube::HttpGet& request, const kube::HttpReceiver& receiver,
                   const std::stop_token& stop) override {
    const std::string& target = request.target;
    const std::string path = target.substr(0, target.find('?'));
    const bool is_watch = target.find("watch=") != std::string::npos;
    const bool is_there = path.starts_with("/api/v1/") || path.find("k8s.io/v1/") != path.npos;
    receiver.head(is_there ? 200 : 404);
    if (is_watch) {
      std::mutex mutex;
      std::condition_variable_any silent;
      std::unique_lock lock(mutex);
      silent.wait(lock, stop, [] { return false; });
    } else if (is_there) {
      receiver.body(page(path, target));
    } else {
      receiver.body(R"({"kind":"Status","code":404})");
    }
    return base::Done{};
  }
  std::string server() const override { return "memory"; }

 private:
  static int number_after(const std::string& target, const std::string& key) {
    const std::size_t at = target.find(key);
    return at == std::string::npos ? 0 : std::atoi(target.c_str() + at + key.size());
  }

  static std::string page(const std::string& path, const std::string& target) {
    const bool nodes = path == "/api/v1/nodes";
    const int size = nodes ? kNodes : path == "/api/v1/pods" ? kPods : 0;
    const int from = number_after(target, "continue=");
    const int to = std::min(size, from + std::max(1, number_after(target, "limit=")));
    std::string out = R"({"kind":"List","metadata":{"resourceVersion":"5","continue":")" +
                      (to < size ? std::to_string(to) : std::string()) + R"("},"items":[)";
    for (int i = from; i < to; ++i) {
      if (i > from) out += ',';
      out += nodes ? node_text(i) : pod_text(i);
    }
    return out + "]}";
  }
};

double megabytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double value = 0;
    if (word == key && status >> value) return value / 1000 * 1.024;
  }
  return 0;
}

void print(const char* what, double value, const char* unit, const char* goal = "") {
  std::printf("%-58s %10.2f %-3s %s\n", what, value, unit, goal);
  std::fflush(stdout);
}

void first_sync() {
  base::Published<Snapshot> out;
  FeedOptions options;
  options.reading.levels = default_levels();
  options.reading.label_prefix = "berth.dev";
  const auto now = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch());
  };
  const double before = megabytes("VmRSS:");
  Feed feed([] { return std::make_unique<Farm>(); }, options,
            kube::ReflectorWorld{now, [] { return 0.5; }}, out);
  const auto start = Clock::now();
  feed.start();
  while (!out.get()->fresh()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  print("first sync, two cores, with writing the server's pages", ms_since(start) / 1000, "s");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  print("resident after it", megabytes("VmRSS:"), "MB", "goal 250");
  print("  of it before any object", before, "MB");
  print("  at the highest", megabytes("VmHWM:"), "MB");
  feed.stop();
}

// ------------------------------------------------------------------ events

std::size_t source_of(std::string_view kind) {
  const auto kinds = watched_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].kind == kind && kinds[i].group.empty()) return i;
  }
  return 0;
}

struct Bench {
  SinkOptions options{default_levels(), {}, "berth.dev"};
  base::Published<Snapshot> out;
  ModelKeeper keeper{options.levels, Services(StatedServices{}), out};
  KindSink nodes{source_of("Node"), options, keeper.queue()};
  KindSink pods{source_of("Pod"), options, keeper.queue()};
  std::chrono::milliseconds now{0};

  void fill() {
    nodes.list_began();
    for (int i = 0; i < kNodes; ++i) with(node_text(i), [&](kube::Json o) { nodes.listed(o); });
    nodes.list_ended();
    pods.list_began();
    for (int i = 0; i < kPods; ++i) with(pod_text(i), [&](kube::Json o) { pods.listed(o); });
    pods.list_ended();
  }
  template <typename Do>
  void with(const std::string& text, Do act) {
    base::Arena arena;
    act(kube::parse_json(text, arena).value());
  }
  void pod_event(int i, const std::string& phase) {
    with(pod_text(i, phase), [&](kube::Json o) { pods.changed(o); });
  }
  void node_event(int i, const std::string& beat) {
    with(node_text(i, beat), [&](kube::Json o) { nodes.changed(o); });
  }
  void admit(int i) {
    with(waiting_pod(i), [&](kube::Json o) {
      PodRecord record = read_pod_record(o, options.label_prefix);
      record.known.namespace_name = "team";
      keeper.queue().push({0, {}, {}, Admitted{std::move(record)}});
    });
  }
  double turn() {
    const auto start = Clock::now();
    keeper.turn("", now);
    return ms_since(start);
  }
};

// Median and worst of a turn after something that happens.
void measure(Bench& bench, const char* what, int rounds, const std::function<void(int)>& happen,
             const char* goal) {
  std::vector<double> took;
  for (int i = 0; i < rounds; ++i) {
    happen(i);
    took.push_back(bench.turn());
  }
  std::sort(took.begin(), took.end());
  print(what, took[took.size() / 2], "ms", goal);
  print("  worst", took.back(), "ms");
}

void events(Bench& bench) {
  const auto phase = [](int i) { return i % 2 == 0 ? "Succeeded" : "Running"; };
  measure(
      bench, "picture after one pod event", 101, [&](int i) { bench.pod_event(30, phase(i)); },
      "goal 5");
  measure(
      bench, "picture after 200 pod events (1,000 a second)", 51,
      [&](int i) {
        for (int k = 0; k < 200; ++k) bench.pod_event(k * 450, phase(i));
      },
      "");
  measure(
      bench, "picture after one heartbeat of a node", 51,
      [&](int i) { bench.node_event(77, std::to_string(i)); }, "goal 5");
  measure(
      bench, "picture after 200 new pods were let through", 11,
      [&](int i) {
        for (int k = 0; k < 200; ++k) bench.admit(i * 200 + k);
      },
      "");
}

// ------------------------------------------------------------------ questions

void ask(const char* what, const char* goal, const std::function<std::int64_t()>& question) {
  std::int64_t sum = 0;
  int rounds = 0;
  const auto start = Clock::now();
  while (ms_since(start) < 300) {
    for (int i = 0; i < 16; ++i) sum += question();
    rounds += 16;
  }
  print(what, ms_since(start) * 1e6 / rounds, "ns", goal);
  if (sum == -1) std::printf("never\n");
}

void questions(const Snapshot& snapshot) {
  base::Arena arena;
  const kube::Json spec =
      kube::parse_json(
          R"({"nodeSelector":{"nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3"},)"
          R"("tolerations":[{"key":"nvidia.com/gpu","operator":"Exists"}],"containers":[]})",
          arena)
          .value();
  const std::size_t rack = *snapshot.level_index("rack");
  Demand fits{spec, {}, 4, 8, "nvidia", {}};
  Demand never{spec, {}, 8, 1000, "nvidia", {}};
  ask("what a workload can use (once a request), with fits", "",
      [&] { return Capacity(snapshot, fits).fits(rack) ? 1 : 0; });
  const Capacity some(snapshot, fits);
  const Capacity none(snapshot, never);
  ask("fits('rack'), where it does", "goal 200", [&] { return some.fits(rack) ? 1 : 0; });
  ask("fits('rack'), where it does not", "goal 200", [&] { return none.fits(rack) ? 1 : 0; });
  ask("fits('rack', 'H100')", "goal 200", [&] { return none.fits(rack, "H100") ? 1 : 0; });
  ask("free()", "", [&] { return some.free(); });
  ask("largestFree('rack')", "", [&] { return some.largest_free(rack); });
  ask("migFree('1g.10gb')", "", [&] { return some.mig_free("1g.10gb"); });
  ask("domains('rack')", "", [&] { return std::ssize(some.domains(rack)); });
}

void model() {
  Bench bench;
  bench.fill();
  print("first picture", bench.turn(), "ms");
  events(bench);
  questions(*bench.out.get());
}

}  // namespace
}  // namespace berth::topology

int main() {
  // In a process of its own, for its memory.
  const pid_t child = fork();
  if (child == 0) {
    berth::topology::first_sync();
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  berth::topology::model();
  return status;
}
