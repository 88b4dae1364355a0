#include "webhook/http_rejection.h"

namespace berth::webhook {

std::string_view to_text(Rejection reason) {
  switch (reason) {
    case Rejection::kBadRequestLine:
      return "bad_request_line";
    case Rejection::kBadTarget:
      return "bad_target";
    case Rejection::kBadVersion:
      return "bad_version";
    case Rejection::kBadHeader:
      return "bad_header";
    case Rejection::kBareLineFeed:
      return "bare_line_feed";
    case Rejection::kFoldedHeader:
      return "folded_header";
    case Rejection::kHeadTooLarge:
      return "head_too_large";
    case Rejection::kTooManyFields:
      return "too_many_fields";
    case Rejection::kBadHost:
      return "bad_host";
    case Rejection::kAmbiguousLength:
      return "ambiguous_length";
    case Rejection::kBadContentLength:
      return "bad_content_length";
    case Rejection::kBadTransferEncoding:
      return "bad_transfer_encoding";
    case Rejection::kBadChunk:
      return "bad_chunk";
    case Rejection::kBadExpectation:
      return "bad_expectation";
    case Rejection::kContentEncoded:
      return "content_encoded";
    case Rejection::kBodyTooLarge:
      return "body_too_large";
    case Rejection::kHandshakeTimeout:
      return "handshake_timeout";
    case Rejection::kHeadTimeout:
      return "head_timeout";
    case Rejection::kBodyTimeout:
      return "body_timeout";
    case Rejection::kWriteTimeout:
      return "write_timeout";
    case Rejection::kTotalConnections:
      return "total_connections";
    case Rejection::kPeerConnections:
      return "peer_connections";
    case Rejection::kDescriptors:
      return "descriptors";
    case Rejection::kBodyMemory:
      return "body_memory";
    case Rejection::kNoCertificate:
      return "no_certificate";
    case Rejection::kHandshakeFailed:
      return "handshake_failed";
    case Rejection::kCertificateRefused:
      return "certificate_refused";
    case Rejection::kHandshakeAbandoned:
      return "handshake_abandoned";
    case Rejection::kRequestAbandoned:
      return "request_abandoned";
    case Rejection::kHandlerFailed:
      return "handler_failed";
  }
  return "unknown";
}

}  // namespace berth::webhook
