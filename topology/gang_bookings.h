// Gang bookings: room for the pods that an owner will make, from the moment it was let through. Its
// pods count on nodes of the first domain that they were steered to and that has room for all, so
// that the next owner does not choose the same. Each pod that comes takes its place over; what no
// pod has taken is given up after a minute: the owner may be refused after us. Owned by the thread
// of the model.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topology/model.h"
#include "topology/placing.h"
#include "topology/records.h"

namespace berth::topology {

struct GangPace {
  std::chrono::milliseconds life{60'000};  ///< longer than a controller takes to make the pods
  std::int64_t most = 10'000;              ///< pods; an owner beyond that is not counted
};

class GangBookings {
 public:
  /// The model must outlive this.
  explicit GangBookings(Model& model, const GangPace& pace = {}) : model_(model), pace_(pace) {}

  /// An owner as it was answered. One that is told again counts once; where it makes no pods now,
  /// what was booked for it is given up. One of which pods are known was made before and books
  /// nothing.
  void admitted(OwnerRecord owner, std::chrono::milliseconds now);

  /// A pod was made: room for one like it, booked by its owner, is given up, on the pod's own node
  /// where it has one. The node where that was; empty: none was.
  std::string member_came(const PodRecord& pod);
  /// A pod that had taken room on `place` got another node: what its owner still has there moves to
  /// `place`.
  void member_landed(const PodRecord& pod, std::string_view place);

  /// Drops what has been too long. True where the model changed.
  bool expire(std::chrono::milliseconds now);

  /// Finds nodes for those that have none yet, all pods of a template or none. True where the model
  /// changed.
  bool place(Placing& placing);

  bool empty() const { return gangs_.empty(); }
  /// Pods that count on a node.
  std::size_t placed() const { return placed_; }

 private:
  struct Place {
    std::string claim;
    std::string node;
  };
  struct Batch {
    BatchRecord what;
    std::vector<Place> places;
  };
  struct Gang {
    std::vector<Batch> batches;
    bool waits = true;
    std::chrono::milliseconds until{0};
  };
  using Gangs = std::multimap<std::string, Gang, std::less<>>;

  Gangs::iterator find_of(const PodRecord& pod);
  static Batch* batch_of(Gang& gang, const PodRecord& pod);
  Gangs::iterator drop(Gangs::iterator at);
  void take_place(std::string_view owner, Batch& batch, std::string node);
  std::string give_up_place(std::string_view owner, Batch& batch, std::string_view node);

  Model& model_;
  GangPace pace_;
  Gangs gangs_;  // by object_key(); those that have no name yet by what it begins with and a star
  std::int64_t pods_ = 0;
  std::size_t placed_ = 0;
  std::uint64_t claims_ = 0;
};

}  // namespace berth::topology
