// Gang shape: what an owner says of how its pods come: fewer than all may start (elastic), or some
// come only after others run. In: the owner object. Out: plain facts. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json.h"

namespace berth::kube {

struct GangShape {
  /// Least number of pods that can work; nothing where all are needed.
  std::optional<std::int64_t> least;
  /// Why not all pods can exist before the first one runs ("startupPolicy: InOrder"); else empty.
  std::string staggered;
};

/// Of an owner of a kind that is known to have such fields; else an empty shape.
GangShape gang_shape_of(std::string_view group, std::string_view kind, Json owner);

}  // namespace berth::kube
