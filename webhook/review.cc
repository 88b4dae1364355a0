#include "webhook/review.h"

namespace berth::webhook {
namespace {

constexpr std::string_view kV1 = "admission.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "admission.k8s.io/v1beta1";

std::string described(kube::Json value) {
  if (value.is_string()) return "'" + std::string(value.string_or_empty().substr(0, 80)) + "'";
  return std::string(value.is_null() ? "nothing" : to_text(value.type()));
}

void split_api_version(std::string_view api_version, Review& review) {
  const std::size_t slash = api_version.find('/');
  review.group =
      slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
  review.version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

}  // namespace

bool is_review(kube::Json document) {
  return document["kind"].string_or_empty() == "AdmissionReview" &&
         document["apiVersion"].string_or_empty().starts_with("admission.k8s.io/");
}

base::Result<Review> read_review(kube::Json document) {
  if (!document.is_object()) {
    return base::invalid("body is " + std::string(to_text(document.type())) +
                         ", expected an AdmissionReview object");
  }
  if (document["kind"].string_or_empty() != "AdmissionReview") {
    return base::invalid("kind is " + described(document["kind"]) + ", expected 'AdmissionReview'");
  }
  Review review;
  review.api_version = document["apiVersion"].string_or_empty();
  if (review.api_version != kV1 && review.api_version != kV1Beta1) {
    return base::invalid("apiVersion is " + described(document["apiVersion"]) + ", expected '" +
                         std::string(kV1) + "' or '" + std::string(kV1Beta1) + "'");
  }
  review.request = document["request"];
  if (!review.request.is_object()) {
    return base::invalid("request is " + described(review.request) + ", expected an object");
  }
  review.uid = review.request["uid"].string_or_empty();
  if (review.uid.empty()) {
    return base::invalid("request.uid is " + described(review.request["uid"]) +
                         ", expected a non-empty string");
  }
  review.operation = review.request["operation"].string_or_empty();
  review.sub_resource = review.request["subResource"].string_or_empty();
  review.namespace_name = review.request["namespace"].string_or_empty();
  review.name = review.request["name"].string_or_empty();
  const kube::Json kind = review.request["kind"];
  review.group = kind["group"].string_or_empty();
  review.version = kind["version"].string_or_empty();
  review.kind = kind["kind"].string_or_empty();
  review.dry_run = review.request["dryRun"].bool_or(false);
  review.object = review.request["object"];
  review.old_object = review.request["oldObject"];
  return review;
}

Review review_of(kube::Json object, base::Arena& arena) {
  Review review;
  review.api_version = kV1;
  review.uid = "offline";
  review.operation = "CREATE";
  review.object = object;
  review.kind = object["kind"].string_or_empty();
  split_api_version(object["apiVersion"].string_or_empty(), review);
  review.name = object["metadata"]["name"].string_or_empty();
  review.namespace_name = object["metadata"]["namespace"].string_or("default");
  const auto text = [](std::string_view value) { return kube::Json::string(value); };
  review.request = kube::make_object(
      arena, {{"uid", text(review.uid)},
              {"kind", kube::make_object(arena, {{"group", text(review.group)},
                                                 {"version", text(review.version)},
                                                 {"kind", text(review.kind)}})},
              {"name", text(review.name)},
              {"namespace", text(review.namespace_name)},
              {"operation", text(review.operation)},
              {"userInfo", kube::make_object(
                               arena, {{"username", text("")}, {"groups", kube::Json::array({})}})},
              {"object", object},
              {"oldObject", kube::Json()},
              {"dryRun", kube::Json::boolean(false)},
              {"options", kube::Json()}});
  return review;
}

}  // namespace berth::webhook
