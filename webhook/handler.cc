#include "webhook/handler.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "base/arena.h"
#include "base/log.h"
#include "kube/json.h"
#include "webhook/explain.h"
#include "webhook/reply.h"
#include "webhook/review.h"

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

class ReviewHandler {
 public:
  explicit ReviewHandler(HandlerParts parts) : parts_(parts) {}

  Response operator()(Request& request) const {
    if (request.body.empty()) return refuse("empty body, expected an AdmissionReview as JSON");
    const auto start = SteadyClock::now();
    thread_local base::Arena arena(64 * 1024);
    arena.reset();
    const auto document = kube::parse_json_in_place(request.body, arena);
    if (!document) return refuse("body is no AdmissionReview: " + document.error().text);
    const auto review = read_review(*document);
    if (!review) return refuse("body is no AdmissionReview: " + review.error().text);
    return answer(*review, arena, request, start);
  }

 private:
  Response refuse(std::string text) const {
    parts_.metrics.count_refused_body();
    return text_response(400, std::move(text));
  }

  Response answer(const Review& review, base::Arena& arena, Request& request,
                  SteadyClock::time_point start) const {
    const auto rules = parts_.rules.get();
    const auto cluster = parts_.cluster.get();
    if (rules == nullptr || cluster == nullptr) {
      Response response = text_response(503, "not ready: rules or cluster are not loaded yet");
      response.headers.emplace_back("Retry-After", "1");
      return response;
    }
    const World world{*rules, *cluster, parts_.limits};
    const Answer answer = admit_or_fail_safe(review, world, arena);
    Response response;
    response.body = std::move(request.spare);
    append_reply(response.body, review, answer, *rules, arena);
    const auto took = SteadyClock::now() - start;
    parts_.metrics.count_answer(answer, std::chrono::duration<double>(took).count());
    log_answer(review, answer, world, took);
    return response;
  }

  HandlerParts parts_;
};

}  // namespace

ProbeAnswer readiness(const Health& health, std::string_view query) {
  const bool ready = health.ready();
  const bool verbose = query.find("verbose") != std::string_view::npos;
  return {ready ? 200 : 503, verbose || !ready ? health.verbose() : "ok"};
}

Routes tls_routes(HandlerParts parts) {
  const Health& health = parts.health;
  return Routes({
      {"/mutate", Takes::kJsonBody, ReviewHandler(parts)},
      {"/livez", Takes::kNothing, [](Request&) { return text_response(200, "ok"); }},
      {"/readyz", Takes::kNothing,
       [&health](Request& request) {
         ProbeAnswer answer = readiness(health, request.query);
         return text_response(answer.status, std::move(answer.text));
       }},
  });
}

}  // namespace berth::webhook
