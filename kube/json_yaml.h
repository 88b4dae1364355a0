// Json to YAML text and back. Out: block style as kubectl prints it, with quotes exactly where a
// YAML 1.1 or 1.2 reader would not give the same string. In: nodes of base/yaml.h, plain scalars
// typed by the core schema of YAML 1.2. Pure functions.
#pragma once

#include <string>

#include "base/arena.h"
#include "base/yaml.h"
#include "kube/json.h"

namespace berth::kube {

/// One YAML document without markers, with a newline at the end. Members keep their order.
std::string to_yaml(Json value);

/// The value of a node, everything copied into the arena. Plain scalars become null, booleans
/// (true, false), integers (decimal, 0x, 0o) and floats, else strings; "yes", "on", ".inf" and
/// dates are strings, and so is all that is quoted.
Json to_json(const base::YamlNode& node, base::Arena& arena);

}  // namespace berth::kube
