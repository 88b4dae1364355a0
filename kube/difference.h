// Difference: in which single values two JSON documents differ. In: two documents, one often the
// other with some fields added. Out: pointers, in order. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "kube/json.h"

namespace berth::kube {

struct Difference {
  std::string pointer;  ///< of a value that is no filled map: "/metadata/labels/team"
  Json before;          ///< null where it is absent
  Json after;
};

/// Maps are compared member by member, also a filled one with one that is absent; lists item by
/// item, and an item that only one list has is one difference.
std::vector<Difference> differences(Json before, Json after);

}  // namespace berth::kube
