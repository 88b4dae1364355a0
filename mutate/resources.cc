#include "mutate/resources.h"

#include <optional>
#include <vector>

#include "kube/gpu_resource.h"
#include "kube/pointer.h"
#include "mutate/containers.h"
#include "mutate/node_requirement.h"

namespace berth::mutate {
namespace {

using kube::Json;
using kube::NodeOperator;

constexpr std::string_view kVisibleDevices = "NVIDIA_VISIBLE_DEVICES";

// A container that asks for the old name, and how many units of it.
struct Asking {
  std::string path;  // of its resources
  std::int64_t units = 0;
  bool has_request = false;
};

// What a container asks for, or why that cannot be renamed.
struct Reading {
  std::optional<Asking> asking;
  std::string problem;
};

std::string quoted(const kube::Container& container) {
  return "container " + std::string(container.name());
}

// Going round the device plugin: the container would see whole cards whatever it asks for.
std::string visible_devices(const kube::Container& container) {
  const Json env = container.json["env"];
  const auto index = index_of_name(env, kVisibleDevices);
  if (!index) return {};
  const std::string_view value = env.at(*index)["value"].string_or_empty();
  if (value.empty() || value == "void" || value == "none") return {};
  return quoted(container) + " sets " + std::string(kVisibleDevices) + "=" + std::string(value);
}

Reading read(const kube::Container& container, std::string_view from, std::string_view to) {
  const Json resources = container.json["resources"];
  const Json limit = resources["limits"][from];
  const Json request = resources["requests"][from];
  if (limit.is_null() && request.is_null()) return {};
  const auto amount = kube::Quantity::parse(limit.is_null() ? request : limit);
  if (amount.has_value() && amount->sign() == 0) return {};
  const std::string name(from);
  if (limit.is_null()) return {{}, quoted(container) + " requests " + name + " without a limit"};
  const auto asked = kube::Quantity::parse(request.is_null() ? limit : request);
  if (!amount.has_value() || !amount->whole() || amount->sign() < 0) {
    return {{}, quoted(container) + " limits " + name + " to " + as_text(limit)};
  }
  if (!asked.has_value() || *asked != *amount) {
    return {{}, quoted(container) + " requests another number of " + name + " than its limit"};
  }
  if (resources["limits"].has(to) || resources["requests"].has(to)) {
    return {{}, quoted(container) + " asks for " + std::string(to) + " as well"};
  }
  const std::string around = visible_devices(container);
  if (!around.empty()) return {{}, around};
  return {Asking{path_of(container) + "/resources", *amount->whole(), !request.is_null()}, {}};
}

void rename(Writing& writing, const rules::Setting& setting, const std::string& map,
            std::string_view from, std::string_view to, std::int64_t units) {
  std::string added = map;
  kube::append_segment(added, to);
  std::string removed = map;
  kube::append_segment(removed, from);
  const std::string amount = std::to_string(units);
  set_or_warn(writing, setting, added, kube::make_string(writing.arena(), amount));
  writing.editor.remove(removed);
}

// ---------------------------------------------------------------- nodes

std::vector<AnyOf> node_requirements(const rules::GpuAnswer& answer) {
  std::vector<AnyOf> out;
  for (const rules::LabelValues& values : answer.require) {
    out.push_back({requirement_of(values, NodeOperator::kIn)});
  }
  for (const rules::LabelValues& values : answer.refuse) {
    out.push_back({requirement_of(values, NodeOperator::kNotIn)});
  }
  return out;
}

std::string words_of(const AnyOf& any_of) {
  std::string out = any_of.front().key;
  out += any_of.front().op == NodeOperator::kIn ? " of " : " other than ";
  for (std::size_t i = 0; i < any_of.front().values.size(); ++i) {
    out += (i == 0 ? "" : ", ") + any_of.front().values[i];
  }
  return out;
}

}  // namespace

void write_gpu(Writing& writing, const rules::Setting& setting) {
  const auto* answer = std::get_if<rules::GpuAnswer>(&setting.answer);
  if (answer == nullptr || answer->keep) return;
  const std::string_view from = kube::kNvidiaGpu;
  const std::string_view to = writing.arena().copy(std::string_view(answer->resource));
  std::vector<Asking> askings;
  for (const kube::Container& container : writing.pod().containers()) {
    if (to.empty() || to == from) break;
    Reading reading = read(container, from, to);
    if (!reading.problem.empty()) {
      warn(writing, setting.rule, "GPU request left as it is: " + reading.problem);
      return;
    }
    if (reading.asking) askings.push_back(std::move(*reading.asking));
  }
  // Nodes come and go while a template lives: its pods get the requirement at their own door.
  if (!writing.long_lived()) {
    const std::vector<AnyOf> requirements = node_requirements(*answer);
    for (const AnyOf& one : requirements) {
      const kube::Judgement judgement = judge_nodes(writing, one);
      if (judgement.standing != kube::Standing::kEmpties) continue;
      report_contradiction(writing, setting, words_of(one), judgement.against);
      return;
    }
    for (const AnyOf& one : requirements) require_nodes(writing, setting, one, words_of(one));
  }
  for (const Asking& asking : askings) {
    rename(writing, setting, asking.path + "/limits", from, to, asking.units);
    if (asking.has_request) {
      rename(writing, setting, asking.path + "/requests", from, to, asking.units);
    }
  }
}

}  // namespace berth::mutate
