// Which containers of a pod an action is for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/pod.h"
#include "rules/rule.h"

namespace berth::mutate {

/// The containers that `containers:` of a rule names; never ephemeral ones. Init containers first,
/// each list in its own order.
std::vector<kube::Container> chosen_containers(const kube::Pod& pod,
                                               const rules::ContainerChoice& choice);

/// It asks for GPU capacity in some form: whole cards, slices, shares, or by claims.
bool asks_for_gpu(const kube::Container& container);

/// "/spec/containers/0".
std::string path_of(const kube::Container& container);

/// The index of the list element whose `name` is this; the last one counts, as in env lists.
std::optional<std::size_t> index_of_name(kube::Json list, std::string_view name);

}  // namespace berth::mutate
