// Writes a Response as HTTP/1.1 bytes: head and body next to each other, so that they leave in one
// TLS record. Pure, apart from the buffer.
#pragma once

#include <string_view>

#include "webhook/http_buffer.h"
#include "webhook/http_message.h"

namespace berth::webhook {

enum class Persistence {
  kImplicit,   ///< HTTP/1.1 and the connection stays open
  kAnnounced,  ///< HTTP/1.0 and the connection stays open
  kClose,
};

enum class BodyPart { kSent, kLeftOut };  ///< left out for HEAD, though its length is told

struct ReplyFrame {
  Persistence persistence = Persistence::kImplicit;
  BodyPart body = BodyPart::kSent;
  std::string_view date;  ///< value of the Date field; empty: no such field
};

/// Appends the whole reply. An extra header whose value has control characters is left out.
void append_reply(const Response& response, const ReplyFrame& frame, ByteBuffer& out);

/// "OK" for 200; empty for a status that berth never sends.
std::string_view reason_phrase(int status);

}  // namespace berth::webhook
