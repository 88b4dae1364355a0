// kubectl as the person at the terminal uses it, with its answers taken apart: exit status, output,
// the server's warnings. Each call is one kubectl process with a clean environment.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace berth::e2e {

struct Answer {
  int status = 0;
  std::string out;
  std::string err;                    ///< without the warnings
  std::vector<std::string> warnings;  ///< the texts behind "Warning: "

  bool ok() const { return status == 0; }

  /// The output as JSON; a discarded value where it is none.
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

class Kubectl {
 public:
  /// `home` is where kubectl keeps what it learned of the server.
  Kubectl(std::filesystem::path program, const std::filesystem::path& kubeconfig,
          const std::filesystem::path& home);

  /// Runs kubectl with these arguments. A kubectl that cannot be run answers with status 127.
  Answer operator()(std::vector<std::string> arguments, std::string input = "") const;

  /// `kubectl create -f - -o json` of one object; more arguments behind.
  Answer create(const nlohmann::json& object, std::vector<std::string> arguments = {}) const;

  /// `kubectl get KIND NAME -n NAMESPACE -o json`.
  Answer get(const std::string& kind, const std::string& space, const std::string& name) const;

 private:
  std::filesystem::path program_;
  std::vector<std::string> common_;
  std::vector<std::string> environment_;
};

}  // namespace berth::e2e
