// Reading of volumes and mounts: paths compared as the kubelet mounts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/json.h"
#include "kube/pod.h"

namespace berth::mutate {

/// Without doubled or trailing slashes: "/dev/shm/" is "/dev/shm".
std::string plain_path(std::string_view path);

/// Index of the container's mount at a path.
std::optional<std::size_t> mount_at(const kube::Container& container, std::string_view path);

/// `large` has everything that `small` has, perhaps more; quantities are compared by value. What
/// the API server adds by defaulting makes no difference then.
bool includes(kube::Json large, kube::Json small);

/// Name of the volume's source ("emptyDir"), empty when there is none.
std::string_view source_of(kube::Json volume);

}  // namespace berth::mutate
