// Base64 (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::base {

/// Appends the encoding of `bytes`.
void append_base64(std::string& out, std::string_view bytes);

/// The bytes of an encoded text; line ends and blanks in it are skipped. Nothing where it is no
/// Base64 or where its padding is missing.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace berth::base
