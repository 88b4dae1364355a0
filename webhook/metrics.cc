#include "webhook/metrics.h"

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace berth::webhook {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

constexpr std::array kOutcomes = {Outcome::kPatched, Outcome::kUnchanged, Outcome::kDenied,
                                  Outcome::kIgnored, Outcome::kFailedSafe};
constexpr std::array kRulesOutcomes = {RulesOutcome::kIgnored, RulesOutcome::kAccepted,
                                       RulesOutcome::kRefused};

prometheus::Counter* add_counter_to(prometheus::Registry& registry, std::string name,
                                    std::string help) {
  return &BuildCounter().Name(std::move(name)).Help(std::move(help)).Register(registry).Add({});
}

// One counter an outcome, in the order of `outcomes`.
template <typename Outcomes>
auto add_counters_to(prometheus::Registry& registry, std::string name, std::string help,
                     const Outcomes& outcomes) {
  auto& family = BuildCounter().Name(std::move(name)).Help(std::move(help)).Register(registry);
  std::array<prometheus::Counter*, std::tuple_size_v<Outcomes>> counters{};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    counters[i] = &family.Add({{"outcome", std::string(to_text(outcomes[i]))}});
  }
  return counters;
}

}  // namespace

// The counters of a family with the one label "rule", found without the library's search by labels.
class CountersByRule {
 public:
  explicit CountersByRule(prometheus::Family<prometheus::Counter>& family) : family_(family) {}

  void count(const std::string& rule) {
    const std::lock_guard lock(mutex_);
    prometheus::Counter*& counter = counters_[rule];
    if (counter == nullptr) counter = &family_.Add({{"rule", rule}});
    counter->Increment();
  }

 private:
  prometheus::Family<prometheus::Counter>& family_;
  std::mutex mutex_;
  std::unordered_map<std::string, prometheus::Counter*> counters_;
};

struct Metrics::State {
  prometheus::Registry registry;
  std::array<prometheus::Counter*, kOutcomes.size()> answers{};
  std::array<prometheus::Counter*, kRulesOutcomes.size()> validations{};
  prometheus::Histogram* duration = nullptr;
  prometheus::Counter* failed_safe = nullptr;
  prometheus::Counter* refused = nullptr;
  prometheus::Counter* malformed = nullptr;
  prometheus::Counter* hinted = nullptr;
  std::optional<CountersByRule> rule_applied;
  prometheus::Family<prometheus::Counter>* rule_errors = nullptr;
  prometheus::Family<prometheus::Gauge>* generation = nullptr;
  prometheus::Gauge* generation_now = nullptr;
  prometheus::Gauge* rule_count = nullptr;
  prometheus::Gauge* load_errors = nullptr;

  // Values read at scrape time.
  class Outside : public prometheus::Collectable {
   public:
    std::vector<prometheus::MetricFamily> Collect() const override {
      const std::lock_guard lock(mutex);
      std::vector<prometheus::MetricFamily> families;
      for (const auto& [gauge, type] : gauges) {
        if (families.empty() || families.back().name != gauge.name) {
          families.push_back({gauge.name, gauge.help, type, {}});
        }
        prometheus::ClientMetric metric;
        if (!gauge.label.empty()) metric.label.push_back({gauge.label, gauge.label_value});
        (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) =
            gauge.read();
        families.back().metric.push_back(std::move(metric));
      }
      return families;
    }
    mutable std::mutex mutex;
    std::vector<std::pair<Gauge, prometheus::MetricType>> gauges;
  } outside;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.answers = add_counters_to(state.registry, "berth_admission_requests_total",
                                  "Admission reviews answered, by outcome", kOutcomes);
  state.validations =
      add_counters_to(state.registry, "berth_rule_validations_total",
                      "ConfigMaps judged before they are written, by outcome", kRulesOutcomes);
  state.duration = &BuildHistogram()
                        .Name("berth_admission_duration_seconds")
                        .Help("Time from the whole body to the whole answer")
                        .Register(state.registry)
                        .Add({}, prometheus::Histogram::BucketBoundaries{
                                     0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                     0.025, 0.1, 0.5, 1});
  state.failed_safe =
      add_counter_to(state.registry, "berth_failed_safe_total",
                     "Answers left unchanged because the self-check failed; must stay 0");
  state.refused = add_counter_to(state.registry, "berth_bad_requests_total",
                                 "Bodies on the TLS port that are no admission review");
  state.malformed =
      add_counter_to(state.registry, "berth_malformed_pods_total",
                     "Pods left as they are because the API server could not decode them");
  state.hinted = add_counter_to(state.registry, "berth_hints_total",
                                "Pods that berth named nodes on, for packing");
  state.rule_applied.emplace(BuildCounter()
                                 .Name("berth_rule_applied_total")
                                 .Help("Workloads that a rule applied to")
                                 .Register(state.registry));
  state.rule_errors = &BuildCounter()
                           .Name("berth_rule_errors_total")
                           .Help("Evaluations of a rule that failed")
                           .Register(state.registry);
  state.generation = &BuildGauge()
                          .Name("berth_rules_generation_info")
                          .Help("1 for the rule generation in force")
                          .Register(state.registry);
  state.rule_count =
      &BuildGauge().Name("berth_rules").Help("Rules in force").Register(state.registry).Add({});
  state.load_errors = &BuildGauge()
                           .Name("berth_rules_load_errors")
                           .Help("Problems of the last load of the rule files; 0 when it was good")
                           .Register(state.registry)
                           .Add({});
}

Metrics::~Metrics() = default;

void Metrics::count_answer(const Answer& answer, double seconds) {
  state_->answers[static_cast<std::size_t>(answer.outcome)]->Increment();
  state_->duration->Observe(seconds);
  if (answer.outcome == Outcome::kFailedSafe) state_->failed_safe->Increment();
  for (const Part& part : answer.parts) {
    if (part.malformed) state_->malformed->Increment();
    if (part.outcome.nodes_named > 0) state_->hinted->Increment();
    for (const rules::Rule* rule : part.decision.applied) state_->rule_applied->count(rule->id);
    for (const rules::Message& failed : part.decision.failed) {
      if (failed.rule != nullptr) state_->rule_errors->Add({{"rule", failed.rule->id}}).Increment();
    }
  }
}

void Metrics::count_validation(RulesOutcome outcome) {
  state_->validations[static_cast<std::size_t>(outcome)]->Increment();
}

void Metrics::count_refused_body() {
  state_->refused->Increment();
}

void Metrics::set_rules(std::string_view generation, std::int64_t rules) {
  if (state_->generation_now != nullptr) state_->generation->Remove(state_->generation_now);
  state_->generation_now = &state_->generation->Add({{"generation", std::string(generation)}});
  state_->generation_now->Set(1);
  state_->rule_count->Set(static_cast<double>(rules));
}

void Metrics::set_rule_load_errors(std::int64_t errors) {
  state_->load_errors->Set(static_cast<double>(errors));
}

void Metrics::add_gauge(Gauge gauge) {
  const std::lock_guard lock(state_->outside.mutex);
  state_->outside.gauges.emplace_back(std::move(gauge), prometheus::MetricType::Gauge);
}

void Metrics::add_counter(Gauge counter) {
  const std::lock_guard lock(state_->outside.mutex);
  state_->outside.gauges.emplace_back(std::move(counter), prometheus::MetricType::Counter);
}

std::string Metrics::text() const {
  auto families = state_->registry.Collect();
  auto outside = state_->outside.Collect();
  families.insert(families.end(), std::make_move_iterator(outside.begin()),
                  std::make_move_iterator(outside.end()));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace berth::webhook
