// Gang keys: by which a pod or an owner shows that it belongs to a gang, whoever wrote them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/json.h"
#include "rules/rule.h"

namespace berth::mutate {

struct FoundKey {
  std::string path;   ///< from the root of the object
  std::string value;  ///< as text
};

/// The first key on a pod or template ({metadata, spec}, at `pointer`) that ties it to a gang.
std::optional<FoundKey> gang_key_on_pod(kube::Json pod, std::string_view pointer);

/// The first key on an owner that sets up a gang with another backend than `planned`, or that states
/// the size for it. A queue of Kueue is no gang: it may sit above any scheduler.
std::optional<FoundKey> gang_key_on_owner(kube::Json owner, rules::GangBackend planned);

}  // namespace berth::mutate
