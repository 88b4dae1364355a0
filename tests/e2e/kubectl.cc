#include "tests/e2e/kubectl.h"

#include <sstream>

#include "tests/e2e/process.h"

namespace berth::e2e {
namespace {

constexpr char kWarning[] = "Warning: ";

/// Splits kubectl's error output into warnings and the rest.
void sort_lines(const std::string& text, Answer& answer) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kWarning)) {
      answer.warnings.push_back(line.substr(sizeof kWarning - 1));
    } else {
      answer.err += line + "\n";
    }
  }
}

}  // namespace

Kubectl::Kubectl(std::filesystem::path program, const std::filesystem::path& kubeconfig,
                 const std::filesystem::path& home)
    : program_(std::move(program)),
      common_({"--kubeconfig=" + kubeconfig.string(),
               "--cache-dir=" + (home / "kubectl-cache").string()}),
      environment_({"HOME=" + home.string(), "PATH=/usr/bin:/bin", "KUBECTL_KUBERC=false"}) {}

Answer Kubectl::operator()(std::vector<std::string> arguments, std::string input) const {
  arguments.insert(arguments.end(), common_.begin(), common_.end());
  const auto finished = run({program_, std::move(arguments), environment_, std::move(input)});
  if (!finished) return {.status = 127, .out = "", .err = finished.error().text, .warnings = {}};
  Answer answer{.status = finished->status, .out = finished->out, .err = "", .warnings = {}};
  sort_lines(finished->err, answer);
  return answer;
}

Answer Kubectl::create(const nlohmann::json& object, std::vector<std::string> arguments) const {
  std::vector<std::string> all = {"create", "-f", "-", "-o", "json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return (*this)(std::move(all), object.dump());
}

Answer Kubectl::get(const std::string& kind, const std::string& space,
                    const std::string& name) const {
  return (*this)({"get", kind, name, "-n", space, "-o", "json"});
}

}  // namespace berth::e2e
