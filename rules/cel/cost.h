// Cost: the worst case of an expression at load, counted as evaluation counts it, with lists of 64
// items and texts of 1 KiB where nothing better is known.
#pragma once

#include <cstdint>

#include "rules/cel/ast.h"

namespace berth::rules::cel {

inline constexpr std::int64_t kWorstItems = 64;
inline constexpr std::int64_t kWorstBytes = 1024;

/// Units of a checked tree. Computed variables count for themselves, not here.
std::int64_t worst_units(const Ast& ast);

}  // namespace berth::rules::cel
