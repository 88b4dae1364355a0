// Heap allocations of this test program so far, for tests that count them. The counting operator
// new is defined in one source of a test program that uses this.
#pragma once

#include <cstddef>

namespace berth::testing {

std::size_t allocation_count();

}  // namespace berth::testing
