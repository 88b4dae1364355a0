#include "webhook/tls_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::webhook {
namespace {

constexpr int kEventsAtOnce = 128;
constexpr int kAcceptsAtOnce = 16;  // a handshake costs as much as ten requests
constexpr int kAcceptsAtEnd = 4096;
constexpr std::int64_t kAcceptPause = 100;  // ms
constexpr std::int64_t kNever = TimerWheel::kNever;

std::int64_t milliseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

std::string http_date(std::time_t second) {
  std::tm parts{};
  std::array<char, 40> text{};
  gmtime_r(&second, &parts);
  // The names are fixed by HTTP and must not follow the locale.
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::string date = kDays[static_cast<std::size_t>(parts.tm_wday)];
  std::strftime(text.data(), text.size(), ", %d ", &parts);
  date += text.data();
  date += kMonths[static_cast<std::size_t>(parts.tm_mon)];
  std::strftime(text.data(), text.size(), " %Y %H:%M:%S GMT", &parts);
  return date + text.data();
}

void add(std::atomic<std::uint64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

TlsLoop::TlsLoop(const LoopShared& shared, Descriptor listener)
    : shared_(shared),
      listener_(std::move(listener)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      buffers_(shared.body_budget),
      context_{shared.options.http,
               shared.handler,
               buffers_,
               shared.stats.http,
               "",
               "",
               Persistence::kImplicit,
               {}},
      now_(milliseconds(CLOCK_MONOTONIC)),
      wheel_(now_) {
  epoll_event event{EPOLLIN, {.ptr = &wake_}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
  watch_listener();
}

void TlsLoop::run() {
  while (stage_ != Stage::kEnded) turn();
  listener_.reset();
  while (!peers_.empty()) close(peers_.front());
  gone_.clear();
}

void TlsLoop::turn() {
  wait();
  run_postponed();
  expire();
  follow_orders();
  gone_.clear();
}

void TlsLoop::refresh_clock() {
  now_ = milliseconds(CLOCK_MONOTONIC);
  const std::time_t second = std::time(nullptr);
  if (second == date_second_) return;
  date_second_ = second;
  context_.date = http_date(second);
}

int TlsLoop::wait_limit() const {
  if (!postponed_.empty()) return 0;
  const std::int64_t resume = accept_again_ == 0 ? kNever : accept_again_;
  const std::int64_t due = std::min({wheel_.next_due(), drain_due(), resume});
  if (due == kNever) return -1;
  return static_cast<int>(std::clamp<std::int64_t>(due - now_, 0, 60'000));
}

void TlsLoop::wait() {
  std::array<epoll_event, kEventsAtOnce> events;
  const int count = epoll_wait(epoll_.get(), events.data(), kEventsAtOnce, wait_limit());
  refresh_clock();
  for (int i = 0; i < count; ++i) handle_event(events[static_cast<std::size_t>(i)].data.ptr);
  if (accept_again_ != 0 && now_ >= accept_again_) watch_listener();
}

void TlsLoop::handle_event(void* what) {
  if (what == &listener_) return accept_some(kAcceptsAtOnce);
  if (what == &wake_) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof count);
    return;
  }
  step(*static_cast<Peer*>(what));
}

void TlsLoop::run_postponed() {
  this_turn_.swap(postponed_);
  for (std::size_t i = 0; i < this_turn_.size(); ++i) {
    if (this_turn_[i] != nullptr) step(*this_turn_[i]);
  }
  this_turn_.clear();
}

void TlsLoop::expire() {
  wheel_.advance(now_);
  while (Timer* timer = wheel_.next_expired()) {
    Peer& peer = static_cast<Peer&>(*timer);
    switch (peer.state) {
      case PeerState::kHandshake:
        shared_.stats.http.rejected.add(Rejection::kHandshakeTimeout);
        close(peer);
        break;
      case PeerState::kOpen:
        if (peer.http.phase() == Phase::kIdle) add(shared_.stats.idle_closed);
        follow(peer, peer.http.expire());
        break;
      case PeerState::kLingering:
        close(peer);
        break;
    }
  }
}

void TlsLoop::watch_listener() {
  accept_again_ = 0;
  if (!listener_.open()) return;
  epoll_event event{EPOLLIN, {.ptr = &listener_}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener_.get(), &event);
}

void TlsLoop::pause_accepting(std::int64_t until) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr);
  accept_again_ = until;
}

void TlsLoop::accept_some(int most) {
  for (int i = 0; i < most && listener_.open() && accept_again_ == 0; ++i) {
    if (auto accepted = accept_one(listener_.get())) {
      admit(std::move(*accepted));
      continue;
    }
    const int error = errno;
    if (accept_failure(error) == AcceptFailure::kNoneWaiting) return;
    accept_failed(error);
  }
}

void TlsLoop::accept_failed(int error) {
  add(shared_.stats.accept_errors);
  switch (accept_failure(error)) {
    case AcceptFailure::kNoneWaiting:
    case AcceptFailure::kNext:
      return;
    case AcceptFailure::kOutOfFiles:
      if (reserve_.turn_one_away(listener_.get())) {
        shared_.stats.http.rejected.add(Rejection::kDescriptors);
      } else {
        pause_accepting(now_ + kAcceptPause);
      }
      return;
    case AcceptFailure::kOutOfMemory:
      return pause_accepting(now_ + kAcceptPause);
    case AcceptFailure::kUnusable:
      add(shared_.stats.listeners_lost);
      listener_.reset();
      return;
  }
}

void TlsLoop::admit(Accepted accepted) {
  ListenerStats& stats = shared_.stats;
  const ListenerOptions& options = shared_.options;
  const auto total = static_cast<std::size_t>(stats.open.load(std::memory_order_relaxed));
  if (total >= options.max_connections + options.shed_connections) {
    return stats.http.rejected.add(Rejection::kTotalConnections);
  }
  const auto served = shared_.certificates.current();
  if (!served) return stats.http.rejected.add(Rejection::kNoCertificate);
  if (shared_.peers.enter(accepted.peer_hash) > options.max_connections_per_peer) {
    shared_.peers.leave(accepted.peer_hash);
    return stats.http.rejected.add(Rejection::kPeerConnections);
  }
  stats.open.fetch_add(1, std::memory_order_relaxed);
  add(stats.accepted);
  const Admission admission =
      total < options.max_connections ? Admission::kServe : Admission::kShed;
  Peer& peer =
      peers_.emplace_back(std::move(accepted.socket), *served->context, context_, admission);
  peer.self = std::prev(peers_.end());
  peer.hash = accepted.peer_hash;
  peer.interest = EPOLLIN;
  epoll_event event{EPOLLIN, {.ptr = &peer}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, peer.socket.get(), &event) != 0) return close(peer);
  wheel_.arm(peer, now_ + options.handshake_deadline.count());
}

void TlsLoop::step(Peer& peer) {
  switch (peer.state) {
    case PeerState::kHandshake:
      return shake_hands(peer);
    case PeerState::kOpen:
      return follow(peer, peer.http.pump());
    case PeerState::kLingering:
      return discard_input(peer);
  }
}

void TlsLoop::shake_hands(Peer& peer) {
  switch (peer.stream.handshake()) {
    case Stream::Status::kOk:
      break;
    case Stream::Status::kWantRead:
      return want(peer, EPOLLIN);
    case Stream::Status::kWantWrite:
      return want(peer, EPOLLOUT);
    case Stream::Status::kEnd:
    case Stream::Status::kBroken:
      shared_.stats.http.rejected.add(peer.stream.failure());
      return close(peer);
  }
  add(shared_.stats.handshakes);
  peer.state = PeerState::kOpen;
  // The first request may have come together with the last of the handshake.
  follow(peer, peer.stream.has_buffered() ? peer.http.pump() : Next::kReadable);
}

void TlsLoop::follow(Peer& peer, Next next) {
  const bool new_request = peer.http.begun() != peer.begun;
  if (new_request) {
    peer.begun = peer.http.begun();
    peer.request_began = last_request_ = now_;
  }
  if (new_request || peer.phase != Phase::kReply) peer.reply_began = now_;
  peer.phase = peer.http.phase();
  switch (next) {
    case Next::kReadable:
      want(peer, EPOLLIN);
      break;
    case Next::kWritable:
      want(peer, EPOLLOUT);
      break;
    case Next::kAgain:
      postponed_.push_back(&peer);
      break;
    case Next::kLinger:
      return linger(peer);
    case Next::kClose:
      return close(peer);
  }
  set_deadline(peer);
}

void TlsLoop::set_deadline(Peer& peer) {
  const ListenerOptions& options = shared_.options;
  switch (peer.phase) {
    case Phase::kIdle: {
      const auto idle = stage_ == Stage::kClosing ? plan_.quiet : options.idle_deadline;
      return wheel_.arm(peer, now_ + idle.count());
    }
    case Phase::kHead:
      return wheel_.arm(peer, peer.request_began + options.head_deadline.count());
    case Phase::kBody:
      return wheel_.arm(peer, peer.request_began + options.request_deadline.count());
    case Phase::kReply:
      return wheel_.arm(peer, peer.reply_began + options.write_deadline.count());
  }
}

void TlsLoop::want(Peer& peer, std::uint32_t interest) {
  if (peer.interest == interest) return;
  peer.interest = interest;
  epoll_event event{interest, {.ptr = &peer}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, peer.socket.get(), &event);
}

/// Closing while the client still sends would reset the connection and could take the reply with
/// it; so the client gets the end of our side first, and time to close its own.
void TlsLoop::linger(Peer& peer) {
  peer.stream.say_goodbye();
  shutdown(peer.socket.get(), SHUT_WR);
  peer.state = PeerState::kLingering;
  want(peer, EPOLLIN);
  wheel_.arm(peer, now_ + shared_.options.linger_deadline.count());
}

void TlsLoop::discard_input(Peer& peer) {
  std::array<char, std::size_t{16} * 1024> scratch;  // what does not fit raises the event again
  const ssize_t count = recv(peer.socket.get(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) return;
  close(peer);
}

void TlsLoop::close(Peer& peer) {
  std::replace(postponed_.begin(), postponed_.end(), &peer, static_cast<Peer*>(nullptr));
  std::replace(this_turn_.begin(), this_turn_.end(), &peer, static_cast<Peer*>(nullptr));
  std::erase(postponed_, nullptr);
  peer.disarm();
  peer.state = PeerState::kLingering;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, peer.socket.get(), nullptr);
  shared_.peers.leave(peer.hash);
  shared_.stats.open.fetch_sub(1, std::memory_order_relaxed);
  gone_.splice(gone_.end(), peers_, peer.self);
}

void TlsLoop::begin_drain(const DrainPlan& plan) {
  if (drain_asked_.exchange(true)) return;
  plan_ = plan;
  Order expected = Order::kServe;
  if (!order_.compare_exchange_strong(expected, Order::kDrain)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void TlsLoop::stop() {
  order_.store(Order::kStop);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

std::int64_t TlsLoop::drain_due() const {
  switch (stage_) {
    case Stage::kServing:
    case Stage::kEnded:
      return kNever;
    case Stage::kClosing:
      return drain_began_ + plan_.deadline.count();
    case Stage::kDraining:
      break;
  }
  const std::int64_t settled =
      std::min(last_request_ + plan_.quiet.count(), drain_began_ + plan_.latest.count());
  return std::max(drain_began_ + plan_.grace.count(), settled);
}

void TlsLoop::follow_orders() {
  const Order order = order_.load(std::memory_order_acquire);
  if (order == Order::kStop) {
    stage_ = Stage::kEnded;
    return;
  }
  if (order == Order::kDrain && stage_ == Stage::kServing) {
    stage_ = Stage::kDraining;
    drain_began_ = now_;
    context_.persistence = Persistence::kClose;
  }
  if (stage_ == Stage::kDraining && now_ >= drain_due()) begin_closing();
  if (stage_ == Stage::kClosing && (peers_.empty() || now_ >= drain_due())) end_drain();
}

void TlsLoop::begin_closing() {
  accept_some(kAcceptsAtEnd);  // closing the socket would reset those who wait
  if (accept_again_ == 0 && listener_.open()) pause_accepting(0);
  accept_again_ = 0;
  listener_.reset();
  stage_ = Stage::kClosing;
  for (auto it = peers_.begin(); it != peers_.end();) {
    Peer& peer = *it++;
    if (peer.state != PeerState::kOpen || peer.http.phase() != Phase::kIdle) continue;
    add(shared_.stats.idle_closed);
    linger(peer);
  }
}

void TlsLoop::end_drain() {
  for (const Peer& peer : peers_) {
    if (peer.state == PeerState::kOpen && peer.http.phase() != Phase::kIdle) {
      add(shared_.stats.cut);
    }
  }
  stage_ = Stage::kEnded;
}

}  // namespace berth::webhook
