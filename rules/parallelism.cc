#include "rules/parallelism.h"

#include <algorithm>
#include <array>

#include "rules/forms.h"

namespace berth::rules {
namespace {

constexpr std::int64_t kMost = 1'000'000;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct Axis {
  std::string_view name;
  std::int64_t Parallelism::*field;
};
constexpr std::array kAxes = {Axis{"tp", &Parallelism::tp}, Axis{"pp", &Parallelism::pp},
                              Axis{"dp", &Parallelism::dp}};

}  // namespace

base::Result<Parallelism> parse_parallelism(std::string_view text) {
  const auto bad = [text] {
    return base::invalid("'" + std::string(text.substr(0, 40)) +
                         "' is no parallelism; expected a text such as tp=8,pp=4,dp=16");
  };
  Parallelism out;
  std::array<bool, kAxes.size()> seen{};
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return bad();
    const std::string_view name = trimmed(part.substr(0, equals));
    const auto axis = std::find_if(kAxes.begin(), kAxes.end(),
                                   [&](const Axis& one) { return one.name == name; });
    if (axis == kAxes.end()) return bad();
    bool& before = seen[static_cast<std::size_t>(axis - kAxes.begin())];
    const auto value = parse_count(trimmed(part.substr(equals + 1)));
    if (before || !value || *value < 1 || *value > kMost) return bad();
    before = true;
    out.*(axis->field) = *value;
    if (comma == rest.size()) return out;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<std::int64_t> product_of(const Parallelism& parallelism) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(parallelism.tp, parallelism.pp, &out) ||
      __builtin_mul_overflow(out, parallelism.dp, &out)) {
    return std::nullopt;
  }
  return out;
}

std::string to_text(const Parallelism& parallelism) {
  return "tp=" + std::to_string(parallelism.tp) + ",pp=" + std::to_string(parallelism.pp) +
         ",dp=" + std::to_string(parallelism.dp);
}

}  // namespace berth::rules
