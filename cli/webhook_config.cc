// berth webhook-config: the MutatingWebhookConfiguration for a rule set, to be applied or kept in a
// repository.
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/setup.h"
#include "rules/forms.h"
#include "webhook/registration.h"

namespace berth::cli {
namespace {

struct ConfigLine {
  CommandLine common;
  webhook::Registration registration;
  std::string ca_bundle;
  std::string failure_policy = "Ignore";
  std::string strict;
  std::string owners = "needed";
};

constexpr std::string_view kCertificate = "-----BEGIN CERTIFICATE-----";

base::Status read_ca_bundle(const std::string& path, webhook::Registration& registration) {
  const auto text = read_text(path);
  if (!text) return base::invalid("--ca-bundle: cannot read '" + path + "': " + text.error().text);
  if (text->text().find(kCertificate) == std::string::npos) {
    return base::invalid("--ca-bundle: '" + path +
                         "' has no certificate; expected PEM with BEGIN CERTIFICATE");
  }
  registration.ca_bundle = text->text();
  return base::Done{};
}

// A name of an object, as all of those here must be.
std::string check_name(const std::string& text) {
  const bool well = text.size() <= 63 && rules::object_name_fault(text).empty();
  return well ? std::string{} : "'" + text + "' is no name of an object, such as 00-berth";
}

// KEY=VALUE of a label.
base::Status read_strict(const std::string& text, webhook::Registration& registration) {
  const std::size_t sign = text.find('=');
  registration.strict_label = text.substr(0, sign);
  registration.strict_value = sign == std::string::npos ? "" : text.substr(sign + 1);
  if (!registration.strict_value.empty() &&
      rules::label_key_fault(registration.strict_label).empty() &&
      rules::label_value_fault(registration.strict_value).empty()) {
    return base::Done{};
  }
  return base::invalid("--strict-namespaces: '" + text +
                       "' is no label; expected KEY=VALUE such as berth.dev/strict=true");
}

int run_webhook_config(ConfigLine line) {
  base::Problems problems;
  const webhook::Options options = options_from(line.common, problems);
  if (options.rules.empty()) {
    std::cerr << "berth webhook-config: no rules; name files or folders by --rules\n";
    return kCouldNotTry;
  }
  kube::add_owner_kinds(options.owner_kinds);
  const auto rules = load_rules(options, options.rules, problems);
  print_problems(problems);
  if (rules == nullptr || problems.has_errors()) return exit_status_of(problems);

  webhook::Registration& registration = line.registration;
  base::Status status = base::Done{};
  if (!line.ca_bundle.empty()) status = read_ca_bundle(line.ca_bundle, registration);
  if (status && !line.strict.empty()) status = read_strict(line.strict, registration);
  if (!status) {
    std::cerr << "berth webhook-config: " << status.error().text << '\n';
    return kCouldNotTry;
  }
  registration.failure_policy = line.failure_policy == "Fail" ? webhook::FailurePolicy::kFail
                                                              : webhook::FailurePolicy::kIgnore;
  registration.excluded_namespaces = options.excluded_namespaces;
  registration.label_prefix = options.label_prefix;
  const auto owners = line.owners == "all"    ? webhook::Owners::kAll
                      : line.owners == "none" ? webhook::Owners::kNone
                                              : webhook::Owners::kNeeded;
  std::cout << to_yaml(registration, concern_of(*rules, options.label_prefix, owners));
  return kWell;
}

}  // namespace

Run add_webhook_config(CLI::App& app) {
  auto line = std::make_shared<ConfigLine>();
  webhook::Registration& registration = line->registration;
  add_common_options(app, line->common);
  app.add_option("--name", registration.name, "name of the configuration; the order of calls")
      ->capture_default_str()
      ->check(check_name);
  app.add_option("--service-namespace", registration.service_namespace, "where berth runs")
      ->capture_default_str()
      ->check(check_name);
  app.add_option("--service-name", registration.service_name, "its Service")
      ->capture_default_str()
      ->check(check_name);
  app.add_option("--service-port", registration.service_port, "port of the Service")
      ->capture_default_str()
      ->check(CLI::Range(1, 65535));
  app.add_option("--timeout", registration.timeout_seconds, "seconds that a call may take")
      ->capture_default_str()
      ->check(CLI::Range(1, 30));
  app.add_option("--failure-policy", line->failure_policy,
                 "when berth cannot be asked: Ignore lets the pod through, Fail refuses it")
      ->capture_default_str()
      ->check(CLI::IsMember({"Ignore", "Fail"}));
  app.add_option("--strict-namespaces", line->strict,
                 "KEY=VALUE: namespaces with this label get Fail");
  app.add_option("--ca-bundle", line->ca_bundle,
                 "PEM file of the authorities of berth's certificate; left out without it");
  app.add_option("--owners", line->owners,
                 "workload objects beside pods: those that the rules need, all or none")
      ->capture_default_str()
      ->check(CLI::IsMember({"needed", "all", "none"}));
  return [line] { return run_webhook_config(*line); };
}

}  // namespace berth::cli
