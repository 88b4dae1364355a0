// When two objects say the same: the part of an object that its author and the admission chain
// decide, without what the API server writes on its own or at random.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace berth::e2e {

/// The comparable part of an object:
///   apiVersion, kind and the whole spec;
///   of metadata: namespace, labels, annotations, finalizers, ownerReferences, generateName, and
///   the name where it was not generated.
/// Left out: uid, resourceVersion, generation, creationTimestamp, managedFields and status, which
/// the API server writes after admission. The five random letters of the token volume
/// (kube-api-access-x7k2p) are cut off wherever they stand. A Job's generated selector and the four
/// labels of it are left out, too. Empty maps and lists among the chosen metadata count as absent.
nlohmann::json comparable(const nlohmann::json& object);

/// "" where both say the same, else their differences as a JSON Patch from `got` to `wanted`, with
/// the values of both.
std::string difference(const nlohmann::json& got, const nlohmann::json& wanted);

}  // namespace berth::e2e
