#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/setup.h"

namespace berth::cli {

Run add_version(CLI::App&) {
  return [] {
    std::cout << "berth " << BERTH_VERSION << '\n';
    return kWell;
  };
}

}  // namespace berth::cli
