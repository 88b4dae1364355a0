#include "rules/schema_rows.h"

namespace berth::rules {
namespace {

constexpr auto kOptional = Need::kOptional;
constexpr auto kRequired = Need::kRequired;

constexpr ValueType texts() {
  return {.form = Form::kText, .shape = Shape::kOneOrList};
}

ObjectType config() {
  return {
      "config",
      "Configuration of the server and the commands; the command line wins.",
      {},
      {
          {"rules", texts(), kNone, kOptional, {}, "Rule files or folders of them."},
          {"cluster", texts(), kNone, kOptional, {}, "Cluster files."},
          {"kubeconfig", one(Form::kText), kNone, kOptional, {}, "How to reach the API server."},
          {"listen", one(Form::kText), kNone, kOptional, "0.0.0.0:8443",
           "Address of the TLS port."},
          {"admin", one(Form::kText), kNone, kOptional, "127.0.0.1:8080",
           "Address of the admin port."},
          {"cert",
           one(Form::kText),
           kNone,
           kOptional,
           {},
           "File with the certificate chain (PEM)."},
          {"key", one(Form::kText), kNone, kOptional, {}, "File with its private key (PEM)."},
          {"selfSignedFor",
           texts(),
           kNone,
           kOptional,
           {},
           "Names and addresses of a self-made certificate."},
          {"labelPrefix", one(Form::kText), kNone, kOptional, "berth.dev",
           "Prefix of the intent labels and annotations."},
          {"logFormat", words("json|text"), kNone, kOptional, "json", "Form of the log."},
          {"logLevel", words("debug|info|warn|error"), kNone, kOptional, "info",
           "Least severity that is logged."},
          {"loops", integer(0, 256), kNone, kOptional, "0", "Event loops; 0 is one a core."},
          {"drainSeconds", integer(0, 600), kNone, kOptional, "25",
           "Longest time from SIGTERM to the end of the last request."},
          {"drainQuietSeconds", integer(0, 600), kNone, kOptional, "2",
           "Draining ends after so many seconds without a request."},
          {"levels", object_list("level", 1), kNone, kOptional,
           "node, nvlink, rack, block, zone with the known labels",
           "The topology levels that rules may name, from near to far."},
          {"excludedNamespaces", texts(), kNone, kOptional, "kube-system, kube-node-lease",
           "Namespaces in which nothing is ever changed or refused."},
          {"gangBackend", words("auto|kueue|volcano|kai|coscheduling|native|none"), kNone,
           kOptional, "auto", "What `gang: {backend: auto}` means."},
      }};
}

ObjectType level() {
  return {"level",
          "A topology level.",
          {},
          {
              {"name", one(Form::kText), kNone, kRequired, {}, "Name that rules use."},
              {"label",
               texts(),
               kNone,
               kRequired,
               {},
               "Node label that tells the domain; of several the first one present."},
          }};
}

}  // namespace

std::vector<ObjectType> config_objects() {
  return {config(), level()};
}

}  // namespace berth::rules
