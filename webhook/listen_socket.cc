#include "webhook/listen_socket.h"

#include <cerrno>
#include <functional>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::webhook {
namespace {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

base::Result<SocketAddress> parse_address(const std::string& text, std::uint16_t port) {
  SocketAddress address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof *v4;
    return address;
  }
  if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof *v6;
    return address;
  }
  return base::invalid("address is '" + text + "'; expected an IPv4 or IPv6 address");
}

void set_flag(int fd, int level, int option) {
  const int on = 1;
  setsockopt(fd, level, option, &on, sizeof on);
}

enum class Sharing { kAlone, kShared };

base::Result<Descriptor> open_bound(SocketAddress& address, Sharing sharing) {
  Descriptor socket(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto failed = [&](std::string_view step) {
    return base::Error{base::ErrorCode::kUnavailable,
                       std::string(step) + ": " + std::generic_category().message(errno)};
  };
  if (!socket.open()) return failed("opening a socket");
  set_flag(socket.get(), SOL_SOCKET, SO_REUSEADDR);
  if (sharing == Sharing::kShared) set_flag(socket.get(), SOL_SOCKET, SO_REUSEPORT);
  if (bind(socket.get(), address.get(), address.size) != 0) return failed("binding");
  return socket;
}

std::uint16_t bound_port(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(fd, address.get(), &address.size) != 0) return 0;
  return address.storage.ss_family == AF_INET
             ? ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port)
             : ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
}

std::size_t hash_of(const sockaddr_storage& peer) {
  const auto* bytes = reinterpret_cast<const char*>(&peer);
  std::string_view address;
  if (peer.ss_family == AF_INET) {
    address = {bytes + offsetof(sockaddr_in, sin_addr), sizeof(in_addr)};
  } else if (peer.ss_family == AF_INET6) {
    address = {bytes + offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr)};
  }
  return std::hash<std::string_view>{}(address);
}

}  // namespace

void Descriptor::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

base::Result<Listening> listen_on(const ListenRequest& request) {
  auto address = parse_address(request.address, request.port);
  if (!address) return address.error();
  const auto where = [&](const base::Error& error) {
    return base::Error{error.code, "listening on '" + request.address + "' port " +
                                       std::to_string(request.port) + ": " + error.text};
  };
  if (request.port != 0) {
    // Sharing the port would also let a stranger of the same user in unnoticed: look first.
    const auto alone = open_bound(*address, Sharing::kAlone);
    if (!alone) return where(alone.error());
  }
  Listening listening;
  listening.port = request.port;
  for (unsigned i = 0; i < request.sockets; ++i) {
    address = parse_address(request.address, listening.port);
    auto socket = open_bound(*address, Sharing::kShared);
    if (!socket) return where(socket.error());
    if (listen(socket->get(), request.backlog) != 0) {
      return where({base::ErrorCode::kUnavailable, std::generic_category().message(errno)});
    }
    listening.port = bound_port(socket->get());
    listening.sockets.push_back(std::move(*socket));
  }
  return listening;
}

AcceptFailure accept_failure(int error) {
  switch (error) {
    case EAGAIN:
      return AcceptFailure::kNoneWaiting;
    case EMFILE:
    case ENFILE:
      return AcceptFailure::kOutOfFiles;
    case ENOBUFS:
    case ENOMEM:
      return AcceptFailure::kOutOfMemory;
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
      return AcceptFailure::kUnusable;
    default:
      return AcceptFailure::kNext;  // of the network or of a filter, over with this one
  }
}

std::optional<Accepted> accept_one(int listener) {
  SocketAddress peer;
  peer.size = sizeof peer.storage;
  Descriptor socket(accept4(listener, peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.open()) return std::nullopt;
  set_flag(socket.get(), IPPROTO_TCP, TCP_NODELAY);
  return Accepted{std::move(socket), hash_of(peer.storage)};
}

ReserveDescriptor::ReserveDescriptor() : reserve_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {}

bool ReserveDescriptor::turn_one_away(int listener) {
  reserve_.reset();
  const bool turned_away = accept_one(listener).has_value();
  reserve_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  return turned_away;
}

}  // namespace berth::webhook
