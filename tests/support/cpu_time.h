// CPU time of the process, for bounds on work that must not depend on what else the machine does.
#pragma once

#include <ctime>

namespace berth::testing {

/// CPU milliseconds that the process has spent so far, all threads together.
inline double cpu_milliseconds() {
  return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace berth::testing
