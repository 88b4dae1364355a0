#include "certs/openssl_handles.h"

#include <climits>

#include <openssl/err.h>

namespace berth::certs {

std::string take_openssl_errors() {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(code);
    if (!text.empty()) text += ", ";
    text += reason != nullptr ? reason : "error " + std::to_string(code);
  }
  return text.empty() ? "unknown reason" : text;
}

BioPtr read_only_bio(std::string_view text) {
  const int size = text.size() > INT_MAX ? INT_MAX : static_cast<int>(text.size());
  return BioPtr(BIO_new_mem_buf(text.data(), size));
}

std::string text_of(BIO& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&memory, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

}  // namespace berth::certs
