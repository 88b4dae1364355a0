// Parallelism: "tp=8,pp=4,dp=16", how the GPUs of a training work together. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/rule.h"

namespace berth::rules {

/// Each of tp, pp, dp at most once, in any order, as whole numbers from 1; blanks around them do not
/// matter. The error says what was expected.
base::Result<Parallelism> parse_parallelism(std::string_view text);

/// tp x pp x dp; nothing where that does not fit 64 bits.
std::optional<std::int64_t> product_of(const Parallelism& parallelism);

/// "tp=8,pp=4,dp=16".
std::string to_text(const Parallelism& parallelism);

}  // namespace berth::rules
