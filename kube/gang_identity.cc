#include "kube/gang_identity.h"

#include <cctype>
#include <cstdint>
#include <cstdio>

namespace berth::kube {
namespace {

constexpr std::size_t kMost = 63;

std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261u;  // FNV-1a: stable over versions and machines
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

std::string dns_label(std::string name) {
  bool exact = true;
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::islower(byte) != 0 || std::isdigit(byte) != 0 || c == '-') continue;
    exact = false;
    c = std::isupper(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return exact && name.size() <= kMost ? name : std::string();
}

// A name that is no DNS label, or too long for one, gets a tail that keeps it apart from others.
std::string named(std::string_view name) {
  std::string out = "berth-" + std::string(name);
  if (const std::string exact = dns_label(out); !exact.empty() && out.back() != '-') return exact;
  char tail[10];
  std::snprintf(tail, sizeof tail, "-%08x", hash_of(name));
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0) c = '-';
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out.substr(0, kMost - 9) + tail;
}

// Of a LeaderWorkerSet: the leader is named after set and group; workers are made by a StatefulSet
// of that name.
std::string leader_of(const Pod& pod) {
  const bool leader = pod.label("leaderworkerset.sigs.k8s.io/worker-index") == "0";
  if (leader) return std::string(pod.name());
  const auto controller = pod.controller();
  return controller ? std::string(controller->name) : std::string();
}

}  // namespace

std::string gang_name_of(const Pod& pod, std::string_view group) {
  if (!pod.label("leaderworkerset.sigs.k8s.io/name").empty()) {
    const std::string leader = leader_of(pod);
    return leader.empty() ? std::string() : named(leader);
  }
  const std::string_view jobset = pod.label("jobset.sigs.k8s.io/jobset-uid");
  if (!jobset.empty()) {
    const std::string_view attempt = pod.label("jobset.sigs.k8s.io/restart-attempt");
    return named(std::string(jobset) + (attempt.empty() ? "" : "-" + std::string(attempt)));
  }
  // The launcher is made by a Job of its own, the workers by the MPIJob.
  if (pod.label("training.kubeflow.org/operator-name") == "mpi-operator") {
    return named("mpi-" + std::string(pod.label("training.kubeflow.org/job-name")));
  }
  const auto controller = pod.controller();
  if (controller && !controller->uid.empty()) return named(controller->uid);
  return group.empty() ? std::string() : named(group);
}

}  // namespace berth::kube
