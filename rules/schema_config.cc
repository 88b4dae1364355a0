#include "rules/schema_rows.h"

namespace berth::rules {
namespace {

constexpr auto kOptional = Need::kOptional;
constexpr auto kRequired = Need::kRequired;

constexpr ValueType texts() {
  return {.form = Form::kText, .shape = Shape::kOneOrList};
}

// What a configuration says of gang and queue systems.
std::vector<Key> service_keys() {
  return {
      {"gangBackend", words("auto|kueue|volcano|kai|coscheduling|native|yunikorn|koordinator|none"),
       kNone, kOptional, "auto", "What `gang: {backend: auto}` means."},
      {"companion", one(Form::kBool), kNone, kOptional, "false",
       "Our own controller runs and makes the group objects that nobody else makes."},
      {"schedulers",
       map_of(Form::kText, Form::kText),
       kNone,
       kOptional,
       {},
       "schedulerName of a backend, where it is not the usual one."},
      {"gangOperators",
       map_of(Form::kText, Form::kText),
       kNone,
       kOptional,
       {},
       "Backend that training-operator, mpi-operator, kuberay or lws makes groups for."},
      {"featureGates",
       list_of(Form::kText),
       kNone,
       kOptional,
       {},
       "Feature gates of Kubernetes that are on and matter to gangs, such as WorkloadWithJob."},
      {"ownerKinds",
       object_list("ownerKind", 1),
       kNone,
       kOptional,
       {},
       "Owners beyond the built-in table."},
  };
}

ObjectType config() {
  ObjectType out{
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
          {"excludedNamespaces", texts(), kNone, kOptional,
           "kube-system, kube-public, kube-node-lease, berth",
           "Namespaces in which nothing is ever changed or refused."},
          {"optOutNamespaces", texts(), kNone, kOptional, "*",
           "Namespaces in which PREFIX/ignore counts, with * as wildcard."},
          {"precedenceBands",
           object_list("precedenceBand", 1),
           kNone,
           kOptional,
           {},
           "Which precedences the rule files of a directory may have."},
      }};
  for (const Key& key : service_keys()) out.keys.push_back(key);
  return out;
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

ObjectType precedence_band() {
  return {"precedenceBand",
          "The precedences that the rule files of one directory may have; the default precedence "
          "is moved into them.",
          {},
          {
              {"directory",
               one(Form::kText),
               kNone,
               kRequired,
               {},
               "End of the path of the folder that holds the files, such as teams. For a "
               "ConfigMap at /validate-rules its name."},
              {"from", integer(0, 1000), kNone, kRequired, {}, "Lowest precedence."},
              {"to", integer(0, 1000), kNone, kRequired, {}, "Highest precedence."},
          }};
}

ObjectType owner_kind() {
  return {
      "ownerKind",
      "A kind of owner and where it keeps its pod templates.",
      {},
      {
          {"group", one(Form::kText), kNone, kOptional, {}, "API group; absent: core."},
          {"kind", one(Form::kText), kNone, kRequired, {}, "Kind."},
          {"template",
           one(Form::kText),
           kNone,
           kRequired,
           {},
           "Path of the pod template, such as /spec/template."},
          {"count", one(Form::kText), kNone, kOptional, "one pod", "Path of the number of pods."},
          {"each",
           one(Form::kText),
           kNone,
           kOptional,
           {},
           "Path of a list or map of which each element has a template."},
          {"role",
           one(Form::kText),
           kNone,
           kOptional,
           {},
           "Role of the pods: a word, or @key for a member of the element."},
          {"longLived", one(Form::kBool), kNone, kOptional, "false",
           "Its pods come one by one over months."},
      }};
}

}  // namespace

std::vector<ObjectType> config_objects() {
  return {config(), level(), precedence_band(), owner_kind()};
}

}  // namespace berth::rules
