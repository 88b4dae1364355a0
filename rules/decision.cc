#include "rules/decision.h"

#include <charconv>

namespace berth::rules {
namespace {

// The decision as a tree that grows slot by slot.
class Tree {
 public:
  explicit Tree(base::Arena& arena) : arena_(arena), root_(kube::make_object(arena, {})) {}

  kube::Json root() const { return root_; }
  base::Arena& arena() { return arena_; }

  void set(std::string_view key, kube::Json value) {
    root_ = kube::with_member(arena_, root_, key, value);
  }
  void set(std::string_view group, std::string_view key, kube::Json value) {
    set(group, kube::with_member(arena_, root_[group], key, value));
  }
  void append(std::string_view key, kube::Json value) {
    const kube::Json list = root_[key];
    set(key, kube::with_inserted(arena_, list, list.size(), value));
  }
  void set_in_placement(std::string_view group, std::string_view key, kube::Json value) {
    set("placement", group, kube::with_member(arena_, root_["placement"][group], key, value));
  }

 private:
  base::Arena& arena_;
  kube::Json root_;
};

kube::Json text(std::string_view value) {
  return kube::Json::string(value);
}

// One name as a text, several as a list: as authors write them.
kube::Json names(Tree& tree, const std::vector<std::string>& list) {
  if (list.size() == 1) return text(list.front());
  std::vector<kube::Json> items;
  for (const std::string& name : list) items.push_back(text(name));
  return kube::make_array(tree.arena(), items);
}

kube::Json name_list(Tree& tree, const std::vector<std::string>& list) {
  std::vector<kube::Json> items;
  for (const std::string& name : list) items.push_back(text(name));
  return kube::make_array(tree.arena(), items);
}

void add_gpu(Tree& tree, const GpuShare& wish, const Setting& setting) {
  tree.set("gpu", "share", text(to_text(wish.share)));
  const auto* answer = std::get_if<GpuAnswer>(&setting.answer);
  if (answer == nullptr) return;
  if (answer->keep) {
    tree.set("gpu", "kept", kube::Json::boolean(true));
    return;
  }
  if (answer->share != wish.share) tree.set("gpu", "instead", text(to_text(answer->share)));
  const auto copied = [&](const std::string& value) {
    return kube::make_string(tree.arena(), value);
  };
  if (!answer->profile.empty()) tree.set("gpu", "profile", copied(answer->profile));
  if (!answer->resource.empty()) tree.set("gpu", "resource", copied(answer->resource));
}

void add_level(Tree& tree, const LevelPlacement& wish, const Setting& setting) {
  const auto* answer = std::get_if<LevelAnswer>(&setting.answer);
  if (!wish.require.empty()) {
    tree.set("placement", "require", text(wish.require));
  } else if (!wish.prefer.empty()) {
    tree.set("placement", "prefer", names(tree, wish.prefer));
  } else if (answer == nullptr) {
    tree.set("placement", "narrowest", names(tree, wish.narrowest));
  } else {
    tree.set("placement", answer->required ? "require" : "prefer", text(answer->level));
  }
}

void add_gang(Tree& tree, const Gang& gang, const Setting& setting) {
  tree.set("gang", "backend", text(to_text(gang.backend)));
  if (!gang.timeout.empty()) tree.set("gang", "timeout", text(gang.timeout));
  if (setting.text.empty()) return;
  std::int64_t size = 0;
  const char* end = setting.text.data() + setting.text.size();
  const auto [stop, error] = std::from_chars(setting.text.data(), end, size);
  const bool whole = error == std::errc() && stop == end;
  tree.set("gang", "size", whole ? kube::make_int(tree.arena(), size) : text(setting.text));
}

void add_toleration(Tree& tree, const Toleration& toleration) {
  std::string out = toleration.key;
  if (toleration.op == "Equal") out += '=' + toleration.value;
  if (!toleration.effect.empty()) out += ':' + toleration.effect;
  tree.append("tolerate", kube::make_string(tree.arena(), out));
}

void add_text(Tree& tree, const Setting& setting) {
  const Slot& slot = setting.assignment->slot;
  const kube::Json value = text(setting.text);
  switch (slot.kind) {
    case SlotKind::kNodeSelector:
      return tree.set_in_placement("nodeSelector", slot.key, value);
    case SlotKind::kEnv:
      return tree.set("env", slot.key, value);
    case SlotKind::kLabel:
      return tree.set("labels", slot.key, value);
    case SlotKind::kAnnotation:
      return tree.set("annotations", slot.key, value);
    case SlotKind::kQueue:
    case SlotKind::kScheduler:
    case SlotKind::kPriorityClass:
    case SlotKind::kRuntimeClass:
    case SlotKind::kShm:
    case SlotKind::kGpu:
    case SlotKind::kProducts:
    case SlotKind::kPreferProducts:
    case SlotKind::kPlacement:
    case SlotKind::kSpread:
    case SlotKind::kTolerate:
    case SlotKind::kGang:
    case SlotKind::kVolume:
    case SlotKind::kSet:
    case SlotKind::kPack:
      return tree.set(to_text(slot.kind), value);
  }
}

struct Adder {
  Tree& tree;
  const Setting& setting;

  void operator()(const LevelPlacement& wish) const { add_level(tree, wish, setting); }
  void operator()(const Spread& wish) const { tree.set("placement", "spread", text(wish.level)); }
  void operator()(const Pack& wish) const {
    tree.set("placement", "pack", kube::Json::boolean(wish.on));
  }
  void operator()(const Products& wish) const {
    const bool required = setting.assignment->slot.kind == SlotKind::kProducts;
    tree.set("placement", required ? "products" : "preferProducts", name_list(tree, wish.names));
  }
  void operator()(const GpuShare& wish) const { add_gpu(tree, wish, setting); }
  void operator()(const Gang& gang) const { add_gang(tree, gang, setting); }
  void operator()(const Toleration& toleration) const { add_toleration(tree, toleration); }
  void operator()(const Text&) const { add_text(tree, setting); }
  void operator()(const Volume& volume) const {
    tree.set("volumes", setting.assignment->slot.key, volume.json);
  }
  void operator()(const Scalar&) const {
    tree.set("set", setting.assignment->slot.key, setting.json);
  }
};

}  // namespace

kube::Json to_json(const Decision& decision, base::Arena& arena) {
  Tree tree(arena);
  for (const Setting& setting : decision.settings) {
    std::visit(Adder{tree, setting}, setting.assignment->value);
  }
  return tree.root();
}

}  // namespace berth::rules
