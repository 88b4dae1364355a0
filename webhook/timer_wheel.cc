#include "webhook/timer_wheel.h"

#include <algorithm>

namespace berth::webhook {

void Timer::unlink() {
  previous_->next_ = next_;
  next_->previous_ = previous_;
  previous_ = next_ = this;
}

void Timer::link_before(Timer& other) {
  previous_ = other.previous_;
  next_ = &other;
  previous_->next_ = this;
  other.previous_ = this;
}

void TimerWheel::insert(Timer& timer) {
  // One tick later than the deadline's own, so that nothing expires early.
  const std::int64_t wanted = timer.deadline_ / kTickLength + 1;
  const std::int64_t tick = std::clamp(wanted, tick_ + 1, tick_ + kSlots - 1);
  timer.link_before(slot(tick));
  hint_ = std::min(hint_, tick * kTickLength);
}

void TimerWheel::arm(Timer& timer, std::int64_t deadline) {
  timer.unlink();
  timer.deadline_ = deadline;
  insert(timer);
}

void TimerWheel::advance(std::int64_t now) {
  const std::int64_t target = now / kTickLength;
  if (target <= tick_ || now < hint_) {
    tick_ = hint_ == kNever ? std::max(tick_, target) : tick_;
    return;
  }
  const std::int64_t first = std::max(tick_ + 1, target - kSlots + 1);
  tick_ = target;
  for (std::int64_t tick = first; tick <= target; ++tick) {
    Timer& head = slot(tick);
    while (head.next_ != &head) {
      Timer& timer = *head.next_;
      timer.unlink();
      if (timer.deadline_ <= now) {
        timer.link_before(expired_);
      } else {
        insert(timer);
      }
    }
  }
  find_next_due();
}

Timer* TimerWheel::next_expired() {
  if (!expired_.armed()) return nullptr;
  Timer* timer = expired_.next_;
  timer->unlink();
  return timer;
}

void TimerWheel::find_next_due() {
  hint_ = kNever;
  for (std::int64_t tick = tick_ + 1; tick < tick_ + kSlots; ++tick) {
    if (!slot(tick).armed()) continue;
    hint_ = tick * kTickLength;
    return;
  }
}

}  // namespace berth::webhook
