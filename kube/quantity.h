// Quantity: an exact Kubernetes resource quantity ("500m", "18Gi", "1e3"), in nano-units. Nothing
// is rounded, except that more than nine decimals are rounded up, as the API server does. A value,
// copied freely. Grammar and limits: kubernetes/apimachinery pkg/api/resource/quantity.go.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/json.h"

namespace berth::kube {

class Quantity {
 public:
  constexpr Quantity() = default;  ///< zero
  static constexpr Quantity of(std::int64_t units) {
    return from_nano(static_cast<Nano>(units) * kNano);
  }

  /// Suffixes n u m "" k M G T P E, Ki Mi Gi Ti Pi Ei, or a decimal exponent. No blanks. Values
  /// beyond 2^63-1 units count as that. The error gives the text and an example of a right one.
  static base::Result<Quantity> parse(std::string_view text);

  /// A JSON string or number, as manifests have either.
  static base::Result<Quantity> parse(Json value);

  /// The value when it is a whole number of units.
  std::optional<std::int64_t> whole() const;
  /// Units rounded up (to the next whole byte, GPU, core).
  std::int64_t rounded_up() const;
  double as_double() const;
  /// -1, 0 or 1.
  int sign() const { return nano_ < 0 ? -1 : nano_ > 0 ? 1 : 0; }

  /// Shortest exact text, in binary suffixes where the value is a multiple of 1024 and the caller
  /// asks for bytes, else decimal: to_text of 18 GiB is "18Gi" with kBinary and "19327352832" with
  /// kDecimal.
  enum class Form { kDecimal, kBinary };
  std::string to_text(Form form) const;

  Quantity operator+(Quantity other) const { return from_nano(nano_ + other.nano_); }
  Quantity operator-(Quantity other) const { return from_nano(nano_ - other.nano_); }
  /// Sums and products beyond 2^63-1 units count as that, too.
  Quantity operator*(std::int64_t factor) const {
    Nano product = 0;
    if (!__builtin_mul_overflow(nano_, static_cast<Nano>(factor), &product)) {
      return from_nano(product);
    }
    return from_nano((nano_ < 0) == (factor < 0) ? kLargest : -kLargest);
  }
  bool operator==(const Quantity&) const = default;
  std::strong_ordering operator<=>(const Quantity& other) const {
    return nano_ < other.nano_   ? std::strong_ordering::less
           : nano_ > other.nano_ ? std::strong_ordering::greater
                                 : std::strong_ordering::equal;
  }

 private:
  __extension__ typedef __int128 Nano;
  static constexpr std::int64_t kNano = 1'000'000'000;
  static constexpr Nano kLargest = static_cast<Nano>(INT64_MAX) * kNano;
  static constexpr Quantity from_nano(Nano nano) {
    Quantity out;
    out.nano_ = nano > kLargest ? kLargest : nano < -kLargest ? -kLargest : nano;
    return out;
  }

  Nano nano_ = 0;
};

/// The text as the API server would store it: "1024Mi" gives "1Gi", "0.5" gives "500m", "1e3" gives
/// "1e3". A text that is no quantity comes back as it is.
std::string canonical_quantity(std::string_view text);

}  // namespace berth::kube
