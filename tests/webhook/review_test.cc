#include "webhook/review.h"

#include <gtest/gtest.h>

namespace berth::webhook {
namespace {

std::string outcome(std::string_view text) {
  base::Arena arena;
  const auto document = kube::parse_json(text, arena);
  if (!document) return document.error().text;
  const auto review = read_review(*document);
  return review ? "uid " + std::string(review->uid) : review.error().text;
}

TEST(Review, NamesWhatCameAndWhatWasExpected) {
  struct Row {
    const char* name;
    const char* body;
    const char* said;
  };
  const Row rows[] = {
      {"a list", "[]", "body is array, expected an AdmissionReview object"},
      {"a number", "5", "body is number, expected an AdmissionReview object"},
      {"no kind", "{}", "kind is nothing, expected 'AdmissionReview'"},
      {"another kind", R"({"kind":"Pod","apiVersion":"v1"})",
       "kind is 'Pod', expected 'AdmissionReview'"},
      {"another version", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v2"})",
       "apiVersion is 'admission.k8s.io/v2', expected 'admission.k8s.io/v1' or "
       "'admission.k8s.io/v1beta1'"},
      {"no request", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
       "request is nothing, expected an object"},
      {"request null",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":null})",
       "request is nothing, expected an object"},
      {"request a list",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":[1]})",
       "request is array, expected an object"},
      {"request a text",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":"x"})",
       "request is 'x', expected an object"},
      {"no uid", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}})",
       "request.uid is nothing, expected a non-empty string"},
      {"uid a number",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":7}})",
       "request.uid is number, expected a non-empty string"},
      {"the least",
       R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"u"}})",
       "uid u"},
  };
  for (const Row& row : rows) EXPECT_EQ(outcome(row.body), row.said) << row.name;
}

TEST(Review, OfAnObjectReadsKindAndNamespace) {
  base::Arena arena;
  const auto job = *kube::parse_json(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"team-a"}})",
      arena);
  const Review review = review_of(job, arena);
  EXPECT_EQ(review.group, "batch");
  EXPECT_EQ(review.version, "v1");
  EXPECT_EQ(review.kind, "Job");
  EXPECT_EQ(review.namespace_name, "team-a");
  EXPECT_EQ(review.request["kind"]["kind"].string_or_empty(), "Job");
  EXPECT_EQ(review.operation, "CREATE");
}

}  // namespace
}  // namespace berth::webhook
