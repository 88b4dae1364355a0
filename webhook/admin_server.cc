#include "webhook/admin_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::webhook {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kMostRequestBytes =
    std::size_t{32} * 1024;                                    // 32 KiB, all fields and any body
constexpr std::size_t kMostBodyBytes = std::size_t{4} * 1024;  // nothing here takes a body
constexpr int kBacklog = 128;
constexpr int kReopenPause = 200;  // ms
constexpr const char* kPlain = "text/plain; charset=utf-8";

/// One connection: blocking for the library, but never beyond the deadline, the byte limit or the
/// stop of the server.
class BoundedStream : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, int stop, Clock::time_point deadline)
      : socket_(socket), stop_(stop), deadline_(deadline) {}

  bool is_readable() const override { return begin_ < end_ || wait_for(POLLIN); }
  bool is_writable() const override { return wait_for(POLLOUT); }
  socket_t socket() const override { return socket_; }

  ssize_t read(char* into, std::size_t size) override {
    if (begin_ == end_ && !fill()) return -1;
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(into, buffer_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* bytes, std::size_t size) override {
    if (!wait_for(POLLOUT)) return -1;
    return send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  /// What arrived and was not read, so that closing does not reset the connection.
  void discard_input() {
    while (recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT) > 0) continue;
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}

 private:
  bool wait_for(short event) const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> ready = {{{socket_, event, 0}, {stop_, POLLIN, 0}}};
    const int count = poll(ready.data(), ready.size(), static_cast<int>(left.count()));
    return count > 0 && ready[1].revents == 0;
  }

  bool fill() {
    if (total_ >= kMostRequestBytes || !wait_for(POLLIN)) return false;
    const ssize_t count = recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count <= 0) return false;
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    total_ += end_;
    return true;
  }

  socket_t socket_;
  int stop_;
  Clock::time_point deadline_;
  std::array<char, 4096> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t total_ = 0;
};

std::string query_of(const httplib::Request& request) {
  const std::size_t mark = request.target.find('?');
  return mark == std::string::npos ? std::string() : request.target.substr(mark + 1);
}

void plain_answer(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", kPlain);
}

/// The library with our routing and our stream; everything else of it stays unused.
class Library : public httplib::Server {
 public:
  Library(const AdminAddress& address, std::vector<AdminRoute> routes)
      : routes_(std::move(routes)),
        connection_deadline_(address.connection_deadline),
        stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    set_payload_max_length(kMostBodyBytes);
    set_tcp_nodelay(true);
    // Without SO_REUSEPORT: a second process on the same port must fail, not share it.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          plain_answer(response, 500, "page failed; this is a defect of the server");
        });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) {
        plain_answer(response, response.status, "request cannot be read; expected GET /path");
      }
    });
  }
  ~Library() override { close(stop_); }

  /// The library lets only five connections wait. Requires: a port is bound.
  void widen_backlog() const { ::listen(svr_sock_, kBacklog); }

  void order_stop() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop_, &one, sizeof one);
  }

  /// Waits up to `milliseconds` for the order; true when it was given.
  bool stop_ordered(int milliseconds) const {
    pollfd order{stop_, POLLIN, 0};
    return poll(&order, 1, milliseconds) > 0;
  }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) const {
    const auto route = std::find_if(routes_.begin(), routes_.end(), [&](const AdminRoute& known) {
      return known.path == request.path;
    });
    if (route == routes_.end()) {
      std::string known;
      for (const AdminRoute& one : routes_) known += (known.empty() ? "" : ", ") + one.path;
      return plain_answer(response, 404, "no such path; expected one of " + known);
    }
    if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      return plain_answer(response, 405, "method not allowed; expected GET or HEAD for this path");
    }
    AdminResponse reply = route->answer(query_of(request));
    response.status = reply.status;
    response.body = std::move(reply.body);
    response.set_header("Content-Type", reply.content_type);
  }

  bool process_and_close_socket(socket_t socket) override {
    BoundedStream stream(socket, stop_, Clock::now() + connection_deadline_);
    bool closed = false;
    // Without this field the library has no reason to compress.
    const auto no_compression = [](httplib::Request& request) {
      request.headers.erase("Accept-Encoding");
    };
    const bool good = process_request(stream, true, closed, no_compression);
    shutdown(socket, SHUT_WR);
    stream.discard_input();
    close(socket);
    return good;
  }

  const std::vector<AdminRoute> routes_;
  const std::chrono::milliseconds connection_deadline_;
  const int stop_;
};

}  // namespace

struct AdminServer::State {
  State(const AdminAddress& address, std::vector<AdminRoute> routes)
      : library(address, std::move(routes)) {}

  /// The library gives up when accept fails in a way it does not know: begin again.
  void run(const std::string& host) {
    library.listen_after_bind();
    while (!library.stop_ordered(kReopenPause)) {
      if (!library.bind_to_port(host, port)) continue;
      library.widen_backlog();
      library.listen_after_bind();
    }
    ended = true;
  }

  Library library;
  int port = -1;
  std::atomic<bool> ended{false};
  std::thread thread;
};

AdminServer::AdminServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

base::Result<std::unique_ptr<AdminServer>> AdminServer::start(const AdminAddress& address,
                                                              std::vector<AdminRoute> routes) {
  auto state = std::make_unique<State>(address, std::move(routes));
  errno = 0;
  if (address.port == 0) {
    state->port = state->library.bind_to_any_port(address.host);
  } else if (state->library.bind_to_port(address.host, address.port)) {
    state->port = address.port;
  }
  if (state->port < 0) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "is it an address of ours?";
    return base::Error{
        base::ErrorCode::kUnavailable,
        "cannot listen on " + address.host + ":" + std::to_string(address.port) + ": " + reason};
  }
  state->library.widen_backlog();
  state->thread = std::thread([&running = *state, host = address.host] { running.run(host); });
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(state)));
}

AdminServer::~AdminServer() {
  state_->library.order_stop();
  while (!state_->ended) {  // the library ignores stop() in the moment before its loop runs
    state_->library.stop();
    std::this_thread::yield();
  }
  state_->thread.join();
}

std::uint16_t AdminServer::port() const {
  return static_cast<std::uint16_t>(state_->port);
}

}  // namespace berth::webhook
