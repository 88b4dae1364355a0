// `placement`: node selector, products, topology levels, spread. Requirements go through
// mutate/node_requirement; preferences are appended and never doubled.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

/// `existing: replace`: takes away what the author selects by and that excludes what the rule
/// requires. Done for all settings before any is written.
void replace_selection(Writing& writing, const rules::Setting& setting);

void write_node_selector(Writing& writing, const rules::Setting& setting);
void write_products(Writing& writing, const rules::Setting& setting);
void write_preferred_products(Writing& writing, const rules::Setting& setting);
/// `require`, `prefer`, `narrowest`: node affinity, and pods of one workload drawn together.
void write_level(Writing& writing, const rules::Setting& setting);
/// A topology spread constraint over the pods of the workload.
void write_spread(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
