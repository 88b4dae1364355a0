#include "mutate/containers.h"

#include <algorithm>

#include "kube/gpu_resource.h"

namespace berth::mutate {
namespace {

constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

bool names_gpu(kube::Json amounts) {
  const auto members = amounts.members();
  return std::any_of(members.begin(), members.end(), [](const kube::JsonMember& member) {
    if (kube::classify_gpu_resource(member.key).form == kube::GpuForm::kNone &&
        !member.key.starts_with(kDeviceClassPrefix)) {
      return false;
    }
    const auto amount = kube::Quantity::parse(member.value);
    return amount.has_value() && amount->sign() > 0;
  });
}

bool is_chosen(const kube::Container& container, const rules::ContainerChoice& choice) {
  if (container.kind == kube::ContainerKind::kEphemeral) return false;
  switch (choice.kind) {
    case rules::ContainerChoice::Kind::kGpu:
      return asks_for_gpu(container);
    case rules::ContainerChoice::Kind::kAll:
      return true;
    case rules::ContainerChoice::Kind::kNamed:
      return std::find(choice.names.begin(), choice.names.end(), container.name()) !=
             choice.names.end();
  }
  return false;
}

}  // namespace

std::vector<kube::Container> chosen_containers(const kube::Pod& pod,
                                               const rules::ContainerChoice& choice) {
  std::vector<kube::Container> chosen = pod.containers();
  std::erase_if(chosen,
                [&](const kube::Container& container) { return !is_chosen(container, choice); });
  return chosen;
}

bool asks_for_gpu(const kube::Container& container) {
  const kube::Json resources = container.json["resources"];
  return names_gpu(resources["limits"]) || names_gpu(resources["requests"]) ||
         resources["claims"].size() > 0;
}

std::string path_of(const kube::Container& container) {
  return "/spec/" + std::string(container.list_name()) + "/" + std::to_string(container.index);
}

std::optional<std::size_t> index_of_name(kube::Json list, std::string_view name) {
  const auto items = list.items();
  for (std::size_t i = items.size(); i > 0; --i) {
    const kube::Json known = items[i - 1]["name"];
    if (known.is_string() && known.string_or_empty() == name) return i - 1;
  }
  return std::nullopt;
}

}  // namespace berth::mutate
