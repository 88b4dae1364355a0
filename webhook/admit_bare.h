// admit_bare: objects that keep the fields of a pod spec instead of a template are decided on as if
// they had one; the changes are then made on the object itself. Pure; part of webhook/admit.
#pragma once

#include <optional>
#include <string>

#include "base/arena.h"
#include "kube/bare_template.h"
#include "webhook/admit.h"
#include "webhook/review.h"

namespace berth::webhook {

/// Turns the answer for `bare.object()` into that for the object of the review. What the object has
/// no place for is left out: its pods get it at their own door. Where only berth's own record would
/// be left, nothing is written. Gives what the self-check found.
std::optional<std::string> fold(const kube::BareTemplates& bare, const Review& review,
                                Answer& answer, base::Arena& arena);

}  // namespace berth::webhook
