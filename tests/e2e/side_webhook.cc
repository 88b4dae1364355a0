#include "tests/e2e/side_webhook.h"

#include <utility>

#include <httplib.h>

namespace berth::e2e {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

}  // namespace

nlohmann::json no_edit(const nlohmann::json& /*object*/) {
  return nlohmann::json::array();
}

SideWebhook::SideWebhook(const KeyPair& pair, Edit edit)
    : edit_(std::move(edit)),
      server_(std::make_unique<httplib::SSLServer>(pair.certificate.c_str(), pair.key.c_str())) {
  // One request a connection: the library would hold its stop until idle connections time out.
  server_->set_keep_alive_max_count(1);
  server_->Post("/mutate", [this](const httplib::Request& request, httplib::Response& response) {
    response.set_content(answer(request.body), "application/json");
  });
}

Result<std::unique_ptr<SideWebhook>> SideWebhook::start(const KeyPair& pair, Edit edit) {
  std::unique_ptr<SideWebhook> webhook(new SideWebhook(pair, std::move(edit)));
  if (!webhook->server_->is_valid()) {
    return Error{ErrorCode::kInvalid, "cannot load '" + pair.certificate.string() + "'"};
  }
  webhook->port_ = webhook->server_->bind_to_any_port("127.0.0.1");
  if (webhook->port_ <= 0) return Error{ErrorCode::kUnavailable, "no loopback port to listen on"};
  webhook->thread_ =
      std::thread([server = webhook->server_.get()] { server->listen_after_bind(); });
  return webhook;
}

SideWebhook::~SideWebhook() {
  server_->stop();
  if (thread_.joinable()) thread_.join();
}

std::string SideWebhook::answer(const std::string& body) {
  {
    const std::scoped_lock lock(mutex_);
    bodies_.push_back(body);
  }
  const nlohmann::json review = nlohmann::json::parse(body, nullptr, false);
  if (review.is_discarded()) return "{}";
  nlohmann::json response = {{"uid", review["request"]["uid"]}, {"allowed", true}};
  const nlohmann::json patch = edit_(review["request"]["object"]);
  if (!patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = base64(patch.dump());
  }
  return nlohmann::json({{"apiVersion", review["apiVersion"]},
                         {"kind", "AdmissionReview"},
                         {"response", response}})
      .dump();
}

std::vector<std::string> SideWebhook::bodies() const {
  const std::scoped_lock lock(mutex_);
  return bodies_;
}

std::size_t SideWebhook::count() const {
  const std::scoped_lock lock(mutex_);
  return bodies_.size();
}

}  // namespace berth::e2e
