#include "tests/e2e/relay.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::e2e {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr int kTickMs = 20;  // how soon a cut or the end is noticed

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

struct Pair {
  int berth = -1;
  int server = -1;
};

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
  }
  ::close(fd);
  return -1;
}

/// Moves what there is; false at the end of the stream.
bool carry(int from, int to) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t now =
        ::send(to, buffer.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += now;
  }
  return true;
}

void end(const Pair& pair) {
  ::close(pair.berth);
  ::close(pair.server);
}

}  // namespace

Result<std::unique_ptr<Relay>> Relay::start(int target) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(fd, 64) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    ::close(fd);
    return Error{ErrorCode::kUnavailable, "no loopback port to listen on"};
  }
  return std::unique_ptr<Relay>(new Relay(fd, ntohs(address.sin_port), target));
}

Relay::Relay(int listener, int port, int target)
    : listener_(listener),
      port_(port),
      target_(target),
      thread_([this](std::stop_token stop) { serve(stop); }) {}

Relay::~Relay() {
  thread_.request_stop();
  thread_.join();
  ::close(listener_);
}

void Relay::serve(const std::stop_token& stop) {
  std::vector<Pair> pairs;
  for (int cuts = 0; !stop.stop_requested();) {
    if (const int wanted = cuts_; wanted != cuts || is_closed_) {
      cuts = wanted;
      ended_ += static_cast<int>(pairs.size());
      std::for_each(pairs.begin(), pairs.end(), end);
      pairs.clear();
    }
    std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs) {
      waiting.push_back({pair.berth, POLLIN, 0});
      waiting.push_back({pair.server, POLLIN, 0});
    }
    if (::poll(waiting.data(), waiting.size(), kTickMs) <= 0) continue;
    std::vector<Pair> left;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      bool lives = true;
      if (waiting[1 + 2 * i].revents != 0) lives = carry(pairs[i].berth, pairs[i].server);
      if (lives && waiting[2 + 2 * i].revents != 0) lives = carry(pairs[i].server, pairs[i].berth);
      if (lives) {
        left.push_back(pairs[i]);
      } else {
        end(pairs[i]);
      }
    }
    pairs = std::move(left);
    if (waiting[0].revents == 0) continue;
    Pair pair{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), -1};
    if (pair.berth < 0) continue;
    if (!is_closed_) pair.server = connect_to(target_);
    if (pair.server >= 0) {
      pairs.push_back(pair);
    } else {
      ended_ += 1;
      ::close(pair.berth);
    }
  }
  std::for_each(pairs.begin(), pairs.end(), end);
}

}  // namespace berth::e2e
