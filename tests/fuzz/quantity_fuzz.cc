// Any text: parsing never fails badly, what is printed reads back as the same value in both forms,
// and printing is stable. Two quantities: order and sums agree.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/quantity.h"

using berth::kube::Quantity;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text) {
  const auto value = Quantity::parse(text);
  if (!value) {
    require(!value.error().text.empty() && berth::kube::canonical_quantity(text) == text);
    return;
  }
  for (const auto form : {Quantity::Form::kDecimal, Quantity::Form::kBinary}) {
    const std::string printed = value->to_text(form);
    const auto again = Quantity::parse(printed);
    require(again.has_value() && *again == *value);
    require(again->to_text(form) == printed);
  }
  const std::string canonical = berth::kube::canonical_quantity(text);
  const auto again = Quantity::parse(canonical);
  require(again.has_value() && *again == *value);
  require(berth::kube::canonical_quantity(canonical) == canonical);
  if (const auto whole = value->whole()) {
    require(Quantity::of(*whole) == *value && value->rounded_up() == *whole);
  } else {
    require(Quantity::of(value->rounded_up()) > *value || value->sign() < 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text);
  const std::size_t half = text.find('\n');
  if (half == std::string_view::npos) return 0;
  const auto left = Quantity::parse(text.substr(0, half));
  const auto right = Quantity::parse(text.substr(half + 1));
  if (!left || !right) return 0;
  require(*left + *right == *right + *left);
  if (right->sign() >= 0) require(*left + *right >= *left && *left - *right <= *left);
  require((*left < *right) == (*right > *left));
  require(*left * 3 == *left + *left + *left);
  return 0;
}
