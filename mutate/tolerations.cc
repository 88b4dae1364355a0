#include "mutate/tolerations.h"

#include <algorithm>
#include <array>

#include "kube/selector.h"

namespace berth::mutate {
namespace {

using kube::Json;

Json to_json(const rules::Toleration& toleration, base::Arena& arena) {
  std::array<kube::JsonMember, 5> members;
  std::size_t count = 0;
  if (!toleration.key.empty()) members[count++] = {"key", Json::string(toleration.key)};
  members[count++] = {"operator", Json::string(toleration.op)};
  if (!toleration.value.empty()) members[count++] = {"value", Json::string(toleration.value)};
  if (!toleration.effect.empty()) members[count++] = {"effect", Json::string(toleration.effect)};
  if (toleration.seconds) {
    members[count++] = {"tolerationSeconds", kube::make_int(arena, *toleration.seconds)};
  }
  return kube::make_object(arena, std::span<const kube::JsonMember>(members).first(count));
}

}  // namespace

void write_toleration(Writing& writing, const rules::Setting& setting) {
  const auto* toleration = std::get_if<rules::Toleration>(&setting.assignment->value);
  if (toleration == nullptr) return;
  const Json wanted = to_json(*toleration, writing.arena());
  const auto there = writing.pod().spec()["tolerations"];
  const auto items = there.items();
  const bool covered = std::any_of(items.begin(), items.end(), [&](const Json& item) {
    return kube::toleration_covers(item, wanted);
  });
  if (!covered) append_or_warn(writing, setting, "/spec/tolerations", wanted);
}

}  // namespace berth::mutate
