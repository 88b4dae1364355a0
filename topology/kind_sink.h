// Kind sink: reads the objects of one watched kind on the watch's own thread and queues what the
// model keeps of them. Used by one reflector.
#pragma once

#include <string>

#include "base/arena.h"
#include "kube/reflector.h"
#include "topology/change_queue.h"
#include "topology/snapshot.h"
#include "topology/watched_kinds.h"

namespace berth::topology {

/// What reading depends on; must outlive the sinks.
struct SinkOptions {
  std::vector<Level> levels;
  std::vector<std::string> unhealthy_conditions;
  std::string label_prefix;
};

class KindSink : public kube::Sink {
 public:
  /// `source`: index into watched_kinds().
  KindSink(std::size_t source, const SinkOptions& options, ChangeQueue& queue);

  void list_began() override;
  void listed(kube::Json object) override;
  void list_ended() override;
  void changed(kube::Json object) override;
  void removed(kube::Json object) override;
  void absent() override;

 private:
  Change change_of(kube::Json object) const;
  Kept kept(kube::Json object);

  std::size_t source_;
  const WatchedKind& kind_;
  const SinkOptions& options_;
  ChangeQueue& queue_;
  std::string api_version_;  // of the objects; items of lists do not say it
  base::Arena scratch_;
  KeySet listed_;
};

}  // namespace berth::topology
