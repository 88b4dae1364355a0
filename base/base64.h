// Base64 (RFC 4648, with padding).
#pragma once

#include <string>
#include <string_view>

namespace berth::base {

/// Appends the encoding of `bytes`.
void append_base64(std::string& out, std::string_view bytes);

}  // namespace berth::base
