// Review: one admission request, read from the body of an AdmissionReview (v1 or v1beta1). Views
// into the parsed document. What a review must have to be answerable: a request with a uid;
// everything else may be absent or of the wrong type and reads as such.
#pragma once

#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/result.h"
#include "kube/json.h"

namespace berth::webhook {

struct Review {
  std::string_view
      api_version;  ///< "admission.k8s.io/v1" or ".../v1beta1": the answer has the same
  std::string_view uid;
  std::string_view operation;       ///< CREATE, UPDATE, DELETE, CONNECT
  std::string_view sub_resource;    ///< empty for the object itself
  std::string_view namespace_name;  ///< of the request; empty for cluster objects
  std::string_view name;
  std::string_view group;  ///< of the object's kind; empty for core
  std::string_view version;
  std::string_view kind;
  bool dry_run = false;
  kube::Json request;
  kube::Json object;      ///< null on DELETE
  kube::Json old_object;  ///< null on CREATE
};

/// Reads a parsed body. The error is for the sender (HTTP 400): what came and what was expected.
base::Result<Review> read_review(kube::Json document);

/// True for a document that says it is an AdmissionReview.
bool is_review(kube::Json document);

/// The review that an API server would send for the CREATE of this object (for explain and rule
/// tests). Kind and namespace come from the object; a missing namespace reads "default".
Review review_of(kube::Json object, base::Arena& arena);

}  // namespace berth::webhook
