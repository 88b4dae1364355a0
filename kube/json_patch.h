// JSON Patch (RFC 6902), applied strictly. This is the second implementation that mutate/verify
// holds the editor's work against; it shares no code with mutate/editor. All operations of the RFC
// are understood.
#pragma once

#include "base/arena.h"
#include "base/result.h"
#include "kube/json.h"

namespace berth::kube {

/// The document after `patch` (an array of operations); it shares parts with both. The error names
/// the operation by index, its op and path, and what failed. Invalid: unknown op, missing value or
/// from, index with leading zero or sign, parent that does not exist, remove or replace of what is
/// absent, a failed test.
base::Result<Json> apply_patch(Json document, Json patch, base::Arena& arena);

}  // namespace berth::kube
