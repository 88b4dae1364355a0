#include "kube/difference.h"

#include <algorithm>

#include "kube/pointer.h"

namespace berth::kube {
namespace {

bool is_map_or_absent(Json value) {
  return value.is_object() || value.is_null();
}

class Walk {
 public:
  std::vector<Difference> take() { return std::move(out_); }

  void compare(Json before, Json after) {
    const bool maps = is_map_or_absent(before) && is_map_or_absent(after);
    if (maps && before.size() + after.size() > 0) return compare_maps(before, after);
    if (before.is_array() && after.is_array()) return compare_lists(before, after);
    if (!equal(before, after)) out_.push_back({pointer_, before, after});
  }

 private:
  void compare_maps(Json before, Json after) {
    if (before.is_object()) {
      for (const JsonMember& member : before.members())
        step(member.key, member.value, after[member.key]);
    }
    if (!after.is_object()) return;
    for (const JsonMember& member : after.members()) {
      if (before.find(member.key) == nullptr) step(member.key, Json(), member.value);
    }
  }

  void compare_lists(Json before, Json after) {
    const std::size_t both = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      const std::string position = std::to_string(i);
      if (i < both) {
        step(position, before.items()[i], after.items()[i]);
      } else {
        const std::size_t length = pointer_.size();
        append_segment(pointer_, position);
        out_.push_back({pointer_, i < before.size() ? before.items()[i] : Json(),
                        i < after.size() ? after.items()[i] : Json()});
        pointer_.resize(length);
      }
    }
  }

  void step(std::string_view segment, Json before, Json after) {
    const std::size_t length = pointer_.size();
    append_segment(pointer_, segment);
    compare(before, after);
    pointer_.resize(length);
  }

  std::string pointer_;
  std::vector<Difference> out_;
};

}  // namespace

std::vector<Difference> differences(Json before, Json after) {
  Walk walk;
  walk.compare(before, after);
  return walk.take();
}

}  // namespace berth::kube
