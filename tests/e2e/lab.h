// The lab cluster of tests/data/cases/checks as objects of a real API server: what pods of the
// cases name - namespaces, priority classes, the runtime class, service accounts - and, where a
// test asks, the nodes with their status. The same file is berth's --cluster, so both see one
// world.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tests/e2e/kubectl.h"

namespace berth::e2e {

std::filesystem::path data_folder();
std::filesystem::path lab_cluster_file();
std::filesystem::path lab_config_file();

/// The example rule files, in the order of their names: the one list of rules in force.
std::vector<std::filesystem::path> example_rules();

/// The manifests of the 28 pods of tests/data/cases/pods, sorted.
std::vector<std::filesystem::path> pod_manifests();

/// Those of them that the example rules admit: all but the one that a guardrail refuses.
std::vector<std::filesystem::path> admitted_pod_manifests();

/// Creates everything but the nodes.
base::Status create_lab(const Kubectl& kubectl);

/// Creates the lab's nodes, with labels, taints, capacity and the Ready condition.
base::Status create_nodes(const Kubectl& kubectl);

/// Removes all pods, at once and whatever their finalizers.
void delete_all_pods(const Kubectl& kubectl);

}  // namespace berth::e2e
