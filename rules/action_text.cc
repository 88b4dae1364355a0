#include "rules/action_text.h"

#include "kube/quantity.h"
#include "rules/parallelism.h"

namespace berth::rules {
namespace {

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& item : list) out += (out.empty() ? "" : ", ") + item;
  return list.size() == 1 ? out : '[' + out + ']';
}

std::optional<std::string> text_of(const Template& text) {
  if (!text.is_constant()) return std::nullopt;
  return text.is_absent() ? std::string{} : text.pieces[0].literal;
}

/// Equal amounts in equal spelling.
std::optional<std::string> amount_of(const Template& text) {
  const auto constant = text_of(text);
  if (!constant) return std::nullopt;
  const auto quantity = kube::Quantity::parse(*constant);
  return quantity ? quantity->to_text(kube::Quantity::Form::kBinary) : *constant;
}

struct ValueText {
  const Assignment& assignment;

  using Out = std::optional<std::string>;
  Out operator()(const LevelPlacement& v) const {
    if (!v.require.empty()) return "require " + v.require;
    if (!v.prefer.empty()) return "prefer " + joined(v.prefer);
    return "narrowest " + joined(v.narrowest);
  }
  Out operator()(const Spread& v) const { return v.level; }
  Out operator()(const Pack& v) const { return v.on ? "true" : "false"; }
  Out operator()(const Products& v) const { return joined(v.names); }
  Out operator()(const GpuShare& v) const {
    const Out memory = amount_of(v.memory);
    if (!memory) return std::nullopt;
    std::string out(to_text(v.share));
    if (!memory->empty()) out += ' ' + *memory;
    if (!v.profile.empty()) out += ' ' + v.profile;
    return out + ", or else " + std::string(to_text(v.or_else));
  }
  Out operator()(const Gang& v) const {
    const Out size = text_of(v.size);
    if (!size) return std::nullopt;
    std::string out(to_text(v.backend));
    if (!size->empty()) out += ", size " + *size;
    if (v.min_member > 0) out += ", at least " + std::to_string(v.min_member);
    if (v.mode == GangMode::kSoft) out += ", soft";
    if (!v.timeout.empty()) out += ", timeout " + v.timeout;
    if (!v.level.require.empty()) out += ", require " + v.level.require;
    if (!v.level.prefer.empty()) out += ", prefer " + joined(v.level.prefer);
    if (v.parallelism) out += ", " + to_text(*v.parallelism);
    return out;
  }
  Out operator()(const Toleration& v) const {
    std::string out = v.op + (v.value.empty() ? "" : ' ' + v.value);
    if (v.seconds) out += " for " + std::to_string(*v.seconds) + " s";
    return out;
  }
  Out operator()(const Text& v) const {
    return assignment.slot.kind == SlotKind::kShm ? amount_of(v.value) : text_of(v.value);
  }
  Out operator()(const Volume& v) const { return kube::to_json(v.json); }
  Out operator()(const Scalar& v) const {
    if (!v.value.is_absent()) return text_of(v.value);
    return v.constant.is_string() ? std::string(v.constant.string_or_empty())
                                  : kube::to_json(v.constant);
  }
};

bool goes_to_containers(SlotKind kind) {
  return kind == SlotKind::kEnv || kind == SlotKind::kShm || kind == SlotKind::kVolume;
}

}  // namespace

std::optional<std::string> constant_text(const Assignment& assignment, const Rule& rule) {
  auto out = std::visit(ValueText{assignment}, assignment.value);
  if (!out || !goes_to_containers(assignment.slot.kind)) return out;
  if (rule.containers.kind == ContainerChoice::Kind::kAll) *out += " (containers all)";
  if (rule.containers.kind == ContainerChoice::Kind::kNamed)
    *out += " (containers " + joined(rule.containers.names) + ')';
  return out;
}

}  // namespace berth::rules
