// Booking: what the answer to a new owner says of room: how many pods it will make of each template
// and to which domains they were steered, so that the model can count them before they are there.
// Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "base/arena.h"
#include "topology/records.h"
#include "webhook/admit.h"
#include "webhook/review.h"

namespace berth::webhook {

/// Of the creation of an owner that is let through and whose pods a `placement` keeps together in
/// ranked domains; nothing for any other answer. An owner that is suspended, or that Kueue will
/// suspend, makes no pods now: a record without batches. Nothing of the result points into the
/// arguments.
std::optional<topology::OwnerRecord> booking_of(const Review& review, const Answer& answer,
                                                std::string_view label_prefix, base::Arena& arena);

}  // namespace berth::webhook
