// Handlers: what the TLS port answers: POST /mutate and /validate-rules, GET /livez and /readyz.
// Reads each published thing once a request, calls admit or validate_rules, counts, logs one line
// and writes. May be called from every loop thread at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/published.h"
#include "rules/loader.h"
#include "rules/rule.h"
#include "topology/records.h"
#include "topology/snapshot.h"
#include "webhook/admit.h"
#include "webhook/health.h"
#include "webhook/http_routes.h"
#include "webhook/metrics.h"

namespace berth::webhook {

/// What the handler reads. All of it outlives the handler.
struct HandlerParts {
  const base::Published<rules::RuleSet>& rules;
  const base::Published<topology::Snapshot>& cluster;
  const Limits& limits;
  const rules::LoadOptions& load;  ///< how rule files are judged
  const Health& health;
  Metrics& metrics;
  /// Told of each new pod that is let through, as it will be; may be empty.
  std::function<void(kube::Json pod, std::string_view namespace_name)> admitted = {};
  /// Told of each new owner that is let through and whose pods are kept together; may be empty.
  std::function<void(topology::OwnerRecord owner)> owner_admitted = {};
};

/// The routes of the TLS listener.
Routes tls_routes(HandlerParts parts);

/// GET /livez and /readyz, which the admin port answers too: status and text.
struct ProbeAnswer {
  int status = 200;
  std::string text;
};
ProbeAnswer readiness(const Health& health, std::string_view query);

}  // namespace berth::webhook
