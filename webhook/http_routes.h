// Routes: which path answers what, with the right refusals for the rest: 404 for an unknown path,
// 405 with Allow for a wrong method, 415 for a body that is not JSON. Never a redirect. Built at
// start-up, then read by every loop thread.
#pragma once

#include <string>
#include <vector>

#include "webhook/http_message.h"

namespace berth::webhook {

/// What a route takes.
enum class Takes {
  kNothing,   ///< GET and HEAD
  kJsonBody,  ///< POST with Content-Type application/json (any parameters)
};

struct Route {
  std::string path;  ///< compared exactly, as sent
  Takes takes = Takes::kNothing;
  Handler handler;
};

class Routes {
 public:
  explicit Routes(std::vector<Route> routes) : routes_(std::move(routes)) {}

  Response operator()(Request& request) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace berth::webhook
