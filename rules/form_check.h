// Judges one scalar of a file against its row of the schema table. Part of rules/schema_check.
#pragma once

#include <string_view>

#include "base/yaml.h"
#include "rules/report.h"
#include "rules/schema.h"
#include "rules/schema_check.h"

namespace berth::rules {

/// Problems of a scalar that stands at the key `name`. Requires: node is a scalar, and the form is
/// one of scalars.
void check_scalar(const base::YamlNode& node, std::string_view name, const ValueType& type,
                  const CheckOptions& options, Report& report);

}  // namespace berth::rules
