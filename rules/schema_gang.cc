// Keys of the action `gang`.
#include "rules/schema_rows.h"

namespace berth::rules {
namespace {

constexpr auto kOptional = Need::kOptional;

constexpr std::string_view kBackends =
    "auto|kueue|volcano|kai|coscheduling|native|yunikorn|koordinator|none";

}  // namespace

ObjectType gang_object() {
  return {
      "gang",
      "All pods of the workload start together or not at all.",
      {},
      {
          {"backend", words(kBackends), kNone, kOptional, "auto",
           "The scheduler or queue system that holds the pods together."},
          {"size", integer(1, 1'000'000), computed(Form::kInteger, "int"), kOptional,
           "workload.pods", "How many pods the group has."},
          {"minMember", integer(1, 1'000'000), kNone, kOptional, "size",
           "How many of them must be able to run before any starts."},
          {"mode", words("hard|soft"), kNone, kOptional, "hard",
           "hard: all or none. soft: as single pods when the time is up, where the backend can."},
          {"timeout",
           one(Form::kDuration),
           kNone,
           kOptional,
           {},
           "How long to wait for all of them, where the backend can."},
          {"topology", object("groupTopology"), kNone, kOptional, "what `placement` says",
           "The level that the backend keeps the group in."},
          {"parallelism", one(Form::kParallelism), kNone, kOptional,
           "the annotation of the same name",
           "Tensor, pipeline and data parallel groups, such as tp=8,pp=4,dp=16."},
      }};
}

ObjectType group_topology_object() {
  return {"groupTopology",
          "Where the pods of a gang are kept together. One of the two.",
          {},
          {
              {"require", one(Form::kLevel), kNone, kOptional, {}, "All in one domain, or none."},
              {"prefer", one(Form::kLevel), kNone, kOptional, {}, "In one domain where it can be."},
          }};
}

}  // namespace berth::rules
