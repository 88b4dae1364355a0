// `placement`: node selector, products, topology levels, spread. Requirements go through
// mutate/node_requirement; preferences are appended and never doubled.
#pragma once

#include "mutate/writing.h"

namespace berth::mutate {

void write_node_selector(Writing& writing, const rules::Setting& setting);
void write_products(Writing& writing, const rules::Setting& setting);
void write_preferred_products(Writing& writing, const rules::Setting& setting);
/// `require`, `prefer`, `narrowest`: node affinity, and pods of one workload drawn together.
void write_level(Writing& writing, const rules::Setting& setting);
/// A topology spread constraint over the pods of the workload.
void write_spread(Writing& writing, const rules::Setting& setting);

}  // namespace berth::mutate
