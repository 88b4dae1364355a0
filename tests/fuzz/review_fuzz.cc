// The body of a request: parsed in place, read as a review. Oracle: no crash; what is read prints
// and reads again to the same.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "webhook/review.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  std::vector<char> body(size + kube::kParsePadding);
  if (size > 0) std::memcpy(body.data(), data, size);
  base::Arena arena;
  const auto document = kube::parse_json_in_place({body.data(), size}, arena);
  if (!document) return 0;
  const std::string printed = kube::to_json(*document);
  const auto again = kube::parse_json(printed, arena);
  if (!again || !kube::equal(*document, *again)) std::abort();
  const auto review = webhook::read_review(*document);
  const auto second = webhook::read_review(*again);
  if (review.has_value() != second.has_value()) std::abort();
  if (review && review->uid != second->uid) std::abort();
  return 0;
}
