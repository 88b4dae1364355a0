// Listening sockets: opening one per loop on the same port, accepting without waiting, and what an
// error of accept means. Safe from every thread; each Descriptor has one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::webhook {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    other.reset();
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct Listening {
  std::vector<Descriptor> sockets;  ///< non-blocking, one a loop, sharing the port
  std::uint16_t port = 0;
};

struct ListenRequest {
  std::string address;     ///< IPv4 or IPv6 address, no host name
  std::uint16_t port = 0;  ///< 0: any free one
  unsigned sockets = 1;
  int backlog = 1;
};

/// Opens all sockets or none. A port that another process listens on is an error, though the
/// sockets share it among themselves.
base::Result<Listening> listen_on(const ListenRequest& request);

struct Accepted {
  Descriptor socket;          ///< non-blocking, without Nagle's delay
  std::size_t peer_hash = 0;  ///< of the address without its port
};

/// What to do after accept failed.
enum class AcceptFailure {
  kNoneWaiting,  ///< wait for the next event
  kNext,         ///< that one connection is lost; try the next
  kOutOfFiles,   ///< give up the reserve to turn the next one away
  kOutOfMemory,  ///< pause: the event would come again at once
  kUnusable,     ///< the listening socket itself is broken
};

AcceptFailure accept_failure(int error);

/// Takes one waiting connection; on failure errno is set and the result is empty.
std::optional<Accepted> accept_one(int listener);

/// A descriptor kept in reserve, so that connections can be turned away instead of left waiting
/// when the process has no descriptors left.
class ReserveDescriptor {
 public:
  ReserveDescriptor();

  /// Gives the reserve up, accepts one connection, closes it and takes the reserve back. False when
  /// nothing could be accepted that way.
  bool turn_one_away(int listener);

 private:
  Descriptor reserve_;
};

}  // namespace berth::webhook
