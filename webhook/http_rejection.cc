#include "webhook/http_rejection.h"

namespace berth::webhook {
namespace {

/// In the order of the enumerators.
constexpr std::array kNames = {
    std::string_view("bad_request_line"),
    std::string_view("bad_target"),
    std::string_view("bad_version"),
    std::string_view("bad_header"),
    std::string_view("bare_line_feed"),
    std::string_view("folded_header"),
    std::string_view("head_too_large"),
    std::string_view("too_many_fields"),
    std::string_view("bad_host"),
    std::string_view("ambiguous_length"),
    std::string_view("bad_content_length"),
    std::string_view("bad_transfer_encoding"),
    std::string_view("bad_chunk"),
    std::string_view("bad_expectation"),
    std::string_view("content_encoded"),
    std::string_view("body_too_large"),
    std::string_view("handshake_timeout"),
    std::string_view("head_timeout"),
    std::string_view("body_timeout"),
    std::string_view("write_timeout"),
    std::string_view("total_connections"),
    std::string_view("peer_connections"),
    std::string_view("descriptors"),
    std::string_view("body_memory"),
    std::string_view("no_certificate"),
    std::string_view("handshake_failed"),
    std::string_view("certificate_refused"),
    std::string_view("handshake_abandoned"),
    std::string_view("request_abandoned"),
    std::string_view("handler_failed"),
};
static_assert(kNames.size() == kRejectionCount);

}  // namespace

std::string_view to_text(Rejection reason) {
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace berth::webhook
