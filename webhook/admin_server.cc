#include "webhook/admin_server.h"

#include <thread>
#include <utility>

#include <httplib.h>

namespace berth::webhook {
namespace {

constexpr std::size_t kLargestBody = 4096;  // nothing here takes a body
constexpr std::size_t kThreads = 4;

void configure(httplib::Server& server) {
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_payload_max_length(kLargestBody);
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1);
  server.set_read_timeout(5);
  server.set_write_timeout(5);
  server.set_default_headers({{"Connection", "close"}});
  // without SO_REUSEPORT: a second process on the same port must fail, not share it
  server.set_socket_options([](socket_t socket) {
    int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
        response.status = 500;
        response.set_content("internal error\n", "text/plain; charset=utf-8");
      });
}

std::string query_of(const httplib::Request& request) {
  const std::size_t mark = request.target.find('?');
  return mark == std::string::npos ? std::string() : request.target.substr(mark + 1);
}

// The library matches routes as regular expressions; ours are plain paths.
std::string literal(const std::string& path) {
  std::string out;
  for (char c : path) {
    if (std::string_view(".*+?()[]{}|^$\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

struct AdminServer::State {
  httplib::Server server;
  std::thread thread;
  int port = 0;
};

AdminServer::AdminServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

base::Result<std::unique_ptr<AdminServer>> AdminServer::start(const AdminAddress& address,
                                                              std::vector<AdminRoute> routes) {
  auto state = std::make_unique<State>();
  httplib::Server& server = state->server;
  configure(server);
  for (AdminRoute& route : routes) {
    server.Get(literal(route.path),
               [answer = std::move(route.answer)](const httplib::Request& request,
                                                  httplib::Response& response) {
                 AdminResponse reply = answer(query_of(request));
                 response.status = reply.status;
                 response.set_content(std::move(reply.body), reply.content_type);
               });
  }
  if (address.port == 0) {
    state->port = server.bind_to_any_port(address.host);
  } else if (server.bind_to_port(address.host, address.port)) {
    state->port = address.port;
  } else {
    state->port = -1;
  }
  if (state->port < 0) {
    return base::Error{base::ErrorCode::kUnavailable,
                       "cannot listen on " + address.host + ":" + std::to_string(address.port) +
                           "; is the port taken or the address not ours?"};
  }
  state->thread = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // stop() is ignored before the loop runs
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(state)));
}

AdminServer::~AdminServer() {
  state_->server.stop();
  state_->thread.join();
}

std::uint16_t AdminServer::port() const {
  return static_cast<std::uint16_t>(state_->port);
}

}  // namespace berth::webhook
