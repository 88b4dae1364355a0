// Bare templates: kinds that keep the fields of a pod spec, or of one container, where others have
// a template. In: such an object. Out: the same object with a template {metadata, spec} in their
// place, and where a path in it stands in the real object. Views live in the object and the arena.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "kube/json.h"

namespace berth::kube {

/// InferenceService, TrainJob.
bool keeps_bare_templates(std::string_view group, std::string_view kind);

class BareTemplates {
 public:
  /// Requires: keeps_bare_templates.
  BareTemplates(std::string_view group, std::string_view kind, Json object, base::Arena& arena);

  /// With templates, as the table of owner kinds has them.
  Json object() const { return object_; }
  /// The same place in the real object; nothing where the kind has none, so that its pods have to
  /// get it at their own door.
  std::optional<std::string> real_path(std::string_view path) const;

 private:
  struct Move {
    std::string from;  ///< in object()
    std::string to;    ///< in the real object; empty: no such place
  };
  void move(std::string from, std::string to);
  void unfold_component(std::string_view name, base::Arena& arena);
  void unfold_worker(Json& predictor, Json worker, base::Arena& arena);
  void unfold_trainer(base::Arena& arena);

  Json object_;
  std::vector<Move> moves_;  ///< the longest that fits counts
};

}  // namespace berth::kube
