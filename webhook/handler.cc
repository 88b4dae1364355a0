#include "webhook/handler.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "base/arena.h"
#include "base/log.h"
#include "kube/json.h"
#include "webhook/booking.h"
#include "webhook/explain.h"
#include "webhook/reply.h"
#include "webhook/review.h"
#include "webhook/validate_rules.h"

namespace berth::webhook {
namespace {

using SteadyClock = std::chrono::steady_clock;

static_assert(kBodyPadding >= kube::kParsePadding, "bodies are parsed in place");

std::string rule_ids(const Answer& answer) {
  std::string out;
  for (const Part& part : answer.parts) {
    for (const rules::Rule* rule : part.decision.applied)
      out += (out.empty() ? "" : ",") + rule->id;
  }
  return out;
}

void log_answer(const Review& review, const Answer& answer, const World& world,
                SteadyClock::duration took) {
  const bool failed = answer.outcome == Outcome::kFailedSafe;
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  const rules::Facts* facts =
      answer.parts.empty() ? nullptr : &answer.parts[answer.main_part].facts;
  base::log(failed ? base::LogLevel::kError : base::LogLevel::kInfo,
            failed ? "review answered unchanged, the self-check failed" : "review answered",
            {{"uid", review.uid},
             {"operation", review.operation},
             {"object", display_name(review)},
             {"kind", review.kind},
             {"owner_kind", facts != nullptr ? facts->kind : std::string_view{}},
             {"owner", facts != nullptr ? facts->name : std::string_view{}},
             {"outcome", to_text(answer.outcome)},
             {"reason", answer.reason},
             {"rules", rule_ids(answer)},
             {"changes", static_cast<std::int64_t>(answer.changes.size())},
             {"dry_run", review.dry_run},
             {"rules_generation", world.rules.generation},
             {"cluster_generation", world.cluster.generation()},
             {"microseconds", static_cast<std::int64_t>(micros)}});
}

// A decision may fail in a way nobody foresaw; the pod must not suffer for it.
Answer admit_or_fail_safe(const Review& review, const World& world, base::Arena& arena) {
  try {
    return admit(review, world, arena);
  } catch (const std::exception& error) {
    return fail_safe(review, std::string("unexpected failure: ") + error.what());
  }
}

Response refuse(Metrics& metrics, std::string text) {
  metrics.count_refused_body();
  return text_response(400, std::move(text));
}

// Reads the body as a review and hands it on; what is none is refused.
template <typename Answering>
Response with_review(Request& request, Metrics& metrics, const Answering& answer) {
  if (request.body.empty())
    return refuse(metrics, "empty body, expected an AdmissionReview as JSON");
  const auto start = SteadyClock::now();
  thread_local base::Arena arena(64 * 1024);
  arena.reset();
  const auto document =
      kube::parse_json_in_place(request.body, arena, {.left_out = "managedFields"});
  if (!document) return refuse(metrics, "body is no AdmissionReview: " + document.error().text);
  const auto review = read_review(*document);
  if (!review) return refuse(metrics, "body is no AdmissionReview: " + review.error().text);
  Response response;
  response.body = std::move(request.spare);
  answer(*review, arena, response, start);
  return response;
}

bool makes_a_pod(const Review& review, const Answer& answer) {
  return answer.allowed() && !review.dry_run && review.operation == "CREATE" &&
         review.kind == "Pod" && review.group.empty() && review.sub_resource.empty();
}

void answer_review(const HandlerParts& parts, const Review& review, base::Arena& arena,
                   Response& response, SteadyClock::time_point start) {
  const auto rules = parts.rules.get();
  const auto cluster = parts.cluster.get();
  if (rules == nullptr || cluster == nullptr) {
    response = text_response(503, "not ready: rules or cluster are not loaded yet");
    response.headers.emplace_back("Retry-After", "1");
    return;
  }
  const World world{*rules, *cluster, parts.limits};
  const Answer answer = admit_or_fail_safe(review, world, arena);
  append_reply(response.body, review, answer, *rules, arena);
  // Before the answer goes out: no watch can show the pod earlier.
  if (parts.admitted && makes_a_pod(review, answer))
    parts.admitted(answer.object, review.namespace_name);
  if (parts.owner_admitted) {
    auto owner = booking_of(review, answer, parts.limits.label_prefix, arena);
    if (owner) parts.owner_admitted(std::move(*owner));
  }
  const auto took = SteadyClock::now() - start;
  parts.metrics.count_answer(answer, std::chrono::duration<double>(took).count());
  log_answer(review, answer, world, took);
}

// Needs neither rules nor cluster: files can be judged before any set is in force.
void answer_rule_files(const HandlerParts& parts, const Review& review, Response& response,
                       SteadyClock::time_point start) {
  const RulesVerdict verdict = validate_rules(review, parts.load);
  append_reply(response.body, review, verdict);
  parts.metrics.count_validation(verdict.outcome);
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - start).count();
  base::log(base::LogLevel::kInfo, "rule files judged",
            {{"uid", review.uid},
             {"operation", review.operation},
             {"object", display_name(review)},
             {"outcome", to_text(verdict.outcome)},
             {"reason", verdict.reason},
             {"problems", static_cast<std::int64_t>(verdict.problems)},
             {"dry_run", review.dry_run},
             {"microseconds", static_cast<std::int64_t>(micros)}});
}

}  // namespace

ProbeAnswer readiness(const Health& health, std::string_view query) {
  const bool ready = health.ready();
  const bool verbose = query.find("verbose") != std::string_view::npos;
  return {ready ? 200 : 503, verbose || !ready ? health.verbose() : "ok"};
}

Routes tls_routes(HandlerParts parts) {
  const Health& health = parts.health;
  return Routes({
      {"/mutate", Takes::kJsonBody,
       [parts](Request& request) {
         return with_review(request, parts.metrics,
                            [&](const Review& review, base::Arena& arena, Response& response,
                                SteadyClock::time_point start) {
                              answer_review(parts, review, arena, response, start);
                            });
       }},
      {"/validate-rules", Takes::kJsonBody,
       [parts](Request& request) {
         return with_review(request, parts.metrics,
                            [&](const Review& review, base::Arena&, Response& response,
                                SteadyClock::time_point start) {
                              answer_rule_files(parts, review, response, start);
                            });
       }},
      {"/livez", Takes::kNothing, [](Request&) { return text_response(200, "ok"); }},
      {"/readyz", Takes::kNothing,
       [&health](Request& request) {
         ProbeAnswer answer = readiness(health, request.query);
         return text_response(answer.status, std::move(answer.text));
       }},
  });
}

}  // namespace berth::webhook
