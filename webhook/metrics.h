// Metrics: every metric name and label of berth in one file, and the only door to prometheus-cpp.
// Counters may be raised from every thread; text() collects, and reads what other modules count for
// themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "webhook/admit.h"
#include "webhook/validate_rules.h"

namespace berth::webhook {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// One answered review: outcome, time it took, rules that applied or failed.
  void count_answer(const Answer& answer, double seconds);
  /// One ConfigMap with rule files, or one that is none.
  void count_validation(RulesOutcome outcome);
  /// A request on the TLS port that was refused before it became a review (HTTP 4xx, 5xx).
  void count_refused_body();

  void set_rules(std::string_view generation, std::int64_t rules);
  /// Problems of the last load; 0 when it was good.
  void set_rule_load_errors(std::int64_t errors);

  // Values that live elsewhere and are read at scrape time.
  struct Gauge {
    std::string name;
    std::string help;
    std::string label;  ///< label name, or empty
    std::string label_value;
    std::function<double()> read;
  };
  void add_gauge(Gauge gauge);
  /// The same for a value that only grows (shown with type counter).
  void add_counter(Gauge counter);

  /// Prometheus text format 0.0.4.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace berth::webhook
