// Runs a command of the shell and gives what it wrote to stdout; empty where it cannot be run.
#pragma once

#include <cstdio>
#include <string>

namespace berth::testing {

inline std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out.push_back(static_cast<char>(c));
  pclose(pipe);
  return out;
}

}  // namespace berth::testing
