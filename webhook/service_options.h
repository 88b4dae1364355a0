// Service options: what a configuration file says of gang and queue systems, operators and owner
// kinds. Each reader takes one value and gives what was expected where it is of another form, else
// an empty text.
#pragma once

#include <string>

#include "base/yaml.h"
#include "webhook/options.h"

namespace berth::webhook {

std::string read_gang_backend(const base::YamlNode& node, Options& options);
std::string read_companion(const base::YamlNode& node, Options& options);
std::string read_schedulers(const base::YamlNode& node, Options& options);
std::string read_gang_operators(const base::YamlNode& node, Options& options);
std::string read_feature_gates(const base::YamlNode& node, Options& options);
std::string read_owner_kinds(const base::YamlNode& node, Options& options);

}  // namespace berth::webhook
