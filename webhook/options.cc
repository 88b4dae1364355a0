#include "webhook/options.h"

#include <array>
#include <charconv>
#include <functional>
#include <optional>

#include "base/yaml.h"
#include "rules/forms.h"
#include "webhook/service_options.h"

namespace berth::webhook {
namespace {

using base::YamlNode;

// Reads one value; gives what was expected instead when it is of another form.
using Reader = std::function<std::string(const YamlNode&, Options&)>;

struct Key {
  std::string_view name;
  Reader read;
};

Reader text_into(std::string Options::*field) {
  return [field](const YamlNode& node, Options& options) -> std::string {
    if (!node.is_scalar()) return "a text";
    options.*field = node.text;
    return {};
  };
}

Reader texts_into(std::vector<std::string> Options::*field) {
  return [field](const YamlNode& node, Options& options) -> std::string {
    std::vector<std::string> list;
    if (node.is_scalar()) list.push_back(node.text);
    for (const YamlNode& item : node.items) {
      if (!item.is_scalar()) return "a list of texts";
      list.push_back(item.text);
    }
    if (node.is_mapping()) return "a text or a list of texts";
    options.*field = std::move(list);
    return {};
  };
}

// Nothing where the node is absent or holds no such number.
std::optional<int> whole_number(const YamlNode* node, int low, int high) {
  int value = 0;
  if (node == nullptr || !node->is_scalar()) return std::nullopt;
  const char* end = node->text.data() + node->text.size();
  const auto parsed = std::from_chars(node->text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < low || value > high)
    return std::nullopt;
  return value;
}

Reader number_into(int Options::*field, int low, int high) {
  return [=](const YamlNode& node, Options& options) -> std::string {
    const auto value = whole_number(&node, low, high);
    if (!value) return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    options.*field = *value;
    return {};
  };
}

std::string read_label_prefix(const YamlNode& node, Options& options) {
  if (!node.is_scalar() || !label_prefix_fault(node.text).empty())
    return "a DNS subdomain, such as berth.dev";
  options.label_prefix = node.text;
  return {};
}

std::string read_levels(const YamlNode& node, Options& options) {
  constexpr const char* kExpected = "a list of {name, label}, from near to far";
  if (!node.is_sequence() || node.items.empty()) return kExpected;
  std::vector<topology::Level> levels;
  for (const YamlNode& item : node.items) {
    const YamlNode* name = item.find("name");
    const YamlNode* label = item.find("label");
    if (name == nullptr || !name->is_scalar() || label == nullptr || item.members.size() != 2)
      return kExpected;
    topology::Level level{name->text, {}};
    if (label->is_scalar()) level.labels.push_back(label->text);
    for (const YamlNode& alias : label->items) level.labels.push_back(alias.text);
    if (level.labels.empty()) return kExpected;
    levels.push_back(std::move(level));
  }
  options.levels = std::move(levels);
  return {};
}

std::string read_bands(const YamlNode& node, Options& options) {
  constexpr const char* kExpected =
      "a list of {directory, from, to}, such as {directory: teams, from: 0, to: 499}";
  if (!node.is_sequence() || node.items.empty()) return kExpected;
  std::vector<rules::PrecedenceBand> bands;
  for (const YamlNode& item : node.items) {
    const YamlNode* directory = item.find("directory");
    const auto from = whole_number(item.find("from"), 0, 1000);
    const auto to = whole_number(item.find("to"), 0, 1000);
    if (directory == nullptr || !directory->is_scalar() || directory->text.empty() || !from ||
        !to || *from > *to || item.members.size() != 3) {
      return kExpected;
    }
    bands.push_back({directory->text, *from, *to});
  }
  options.bands = std::move(bands);
  return {};
}

std::string read_log_format(const YamlNode& node, Options& options) {
  if (node.text != "json" && node.text != "text") return "json or text";
  options.log_format = node.text == "json" ? base::LogFormat::kJson : base::LogFormat::kText;
  return {};
}

std::string read_log_level(const YamlNode& node, Options& options) {
  static constexpr std::array<std::pair<std::string_view, base::LogLevel>, 4> kLevels = {{
      {"debug", base::LogLevel::kDebug},
      {"info", base::LogLevel::kInfo},
      {"warn", base::LogLevel::kWarn},
      {"error", base::LogLevel::kError},
  }};
  for (const auto& [word, level] : kLevels) {
    if (node.text != word) continue;
    options.log_level = level;
    return {};
  }
  return "debug, info, warn or error";
}

const std::vector<Key>& keys() {
  static const std::vector<Key> table = {
      {"rules", texts_into(&Options::rules)},
      {"cluster", texts_into(&Options::cluster)},
      {"kubeconfig", text_into(&Options::kubeconfig)},
      {"listen", text_into(&Options::listen)},
      {"admin", text_into(&Options::admin)},
      {"cert", text_into(&Options::cert)},
      {"key", text_into(&Options::key)},
      {"selfSignedFor", texts_into(&Options::self_signed_for)},
      {"labelPrefix", read_label_prefix},
      {"logFormat", read_log_format},
      {"logLevel", read_log_level},
      {"loops", number_into(&Options::loops, 0, 256)},
      {"drainSeconds", number_into(&Options::drain_seconds, 0, 600)},
      {"drainQuietSeconds", number_into(&Options::drain_quiet_seconds, 0, 600)},
      {"levels", read_levels},
      {"excludedNamespaces", texts_into(&Options::excluded_namespaces)},
      {"optOutNamespaces", texts_into(&Options::opt_out_namespaces)},
      {"precedenceBands", read_bands},
      {"gangBackend", read_gang_backend},
      {"companion", read_companion},
      {"schedulers", read_schedulers},
      {"gangOperators", read_gang_operators},
      {"featureGates", read_feature_gates},
      {"ownerKinds", read_owner_kinds},
  };
  return table;
}

void read_key(const base::SourceText& text, const base::YamlMember& member, Options& options,
              base::Problems& problems) {
  std::vector<std::string_view> names;
  for (const Key& key : keys()) {
    if (key.name != member.key) {
      names.push_back(key.name);
      continue;
    }
    const std::string expected = key.read(member.value, options);
    if (expected.empty()) return;
    problems.add(problem_at(
        text, member.value.offset, "wrong-type",
        "'" + member.key + "' has a value that is not understood; expected " + expected));
    return;
  }
  base::Problem problem =
      problem_at(text, member.key_offset, "unknown-key", "unknown key '" + member.key + "'");
  problem.hint = base::suggestion(member.key, names);
  problems.add(std::move(problem));
}

base::Problem option_problem(std::string text) {
  base::Problem problem;
  problem.code = "options";
  problem.text = std::move(text);
  return problem;
}

}  // namespace

void read_config(const base::SourceText& text, Options& options, base::Problems& problems) {
  base::Problems syntax;
  const auto documents = base::parse_yaml(text, syntax);
  const bool broken = syntax.has_errors();
  problems.append(std::move(syntax));
  if (broken) return;
  if (documents.size() > 1) {
    problems.add(problem_at(text, documents[1].offset, "syntax",
                            "second document, a configuration has one"));
  }
  if (documents.empty() || documents[0].is_null()) return;
  if (!documents[0].is_mapping()) {
    problems.add(problem_at(text, documents[0].offset, "wrong-type", "expected a map of options"));
    return;
  }
  for (const base::YamlMember& member : documents[0].members)
    read_key(text, member, options, problems);
}

std::vector<std::string_view> config_keys() {
  std::vector<std::string_view> out;
  for (const Key& key : keys()) out.push_back(key.name);
  return out;
}

std::string label_prefix_fault(const std::string& prefix) {
  if (!prefix.empty() && rules::object_name_fault(prefix).empty()) return {};
  return "'" + prefix + "' is no prefix of label keys; expected a DNS subdomain, such as berth.dev";
}

base::Problems validate(const Options& options) {
  base::Problems problems;
  for (const auto& [name, value] :
       {std::pair{"--listen", &options.listen}, std::pair{"--admin", &options.admin}}) {
    if (const auto parsed = parse_address(*value); !parsed) {
      problems.add(option_problem(std::string(name) + ": " + parsed.error().text));
    }
  }
  if (options.cert.empty() != options.key.empty()) {
    problems.add(option_problem("--cert and --key go together, only one of them is given"));
  }
  if (options.cert.empty() && options.key.empty() && options.self_signed_for.empty()) {
    problems.add(option_problem(
        "no certificate; give --cert and --key, or --self-signed-for NAME for a first try"));
  }
  if (!options.cert.empty() && !options.self_signed_for.empty()) {
    problems.add(option_problem("--cert and --self-signed-for exclude each other"));
  }
  if (!options.cluster.empty() && !options.kubeconfig.empty()) {
    problems.add(option_problem("--cluster and --kubeconfig exclude each other"));
  }
  if (options.rules.empty())
    problems.add(option_problem("no rules; give --rules a file or a folder"));
  return problems;
}

Limits limits_of(const Options& options) {
  Limits limits;
  limits.label_prefix = options.label_prefix;
  limits.excluded_namespaces = options.excluded_namespaces;
  limits.opt_out_namespaces = options.opt_out_namespaces;
  return limits;
}

rules::LoadOptions load_options_of(const Options& options) {
  rules::LoadOptions out;
  out.label_prefix = options.label_prefix;
  out.bands = options.bands;
  out.levels.clear();
  for (const topology::Level& level : options.levels) out.levels.push_back(level.name);
  return out;
}

topology::BuildOptions build_options_of(const Options& options) {
  topology::BuildOptions out;
  out.levels = options.levels;
  out.label_prefix = options.label_prefix;
  out.services = options.services;
  return out;
}

base::Result<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const auto bad = [text] {
    return base::invalid("'" + std::string(text) +
                         "' is no address, expected HOST:PORT such as 127.0.0.1:8443");
  };
  if (colon == std::string_view::npos) return bad();
  Address address;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  address.host = host.empty() ? "0.0.0.0" : std::string(host);
  const std::string_view port = text.substr(colon + 1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || address.port < 0 ||
      address.port > 65535) {
    return bad();
  }
  return address;
}

}  // namespace berth::webhook
