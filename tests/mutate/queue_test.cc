#include "mutate/queue.h"

#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::Existing;
using rules::SlotKind;

constexpr std::string_view kKey = "/metadata/labels/kueue.x-k8s.io~1queue-name";

std::string local_queue(std::string_view name) {
  return "{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'LocalQueue','metadata':{'name':'" +
         std::string(name) + "','namespace':'team-nlp'}}";
}

std::string bare_pod(std::string_view labels) {
  return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','labels':{" + std::string(labels) +
         "}},'spec':{}}";
}

TEST(Queue, IsWrittenWhereItExists) {
  struct Row {
    std::string_view why, known, labels;
    Existing existing;
    std::string_view result, kept, warnings;
  };
  const Row rows[] = {
      {"C089: it exists", "team", "", Existing::kKeep, "'team'", "", ""},
      {"queues are not known", "", "", Existing::kKeep, "'team'", "", ""},
      {"C089: it does not", "other", "", Existing::kKeep, "absent", "",
       "queue team not written: no such LocalQueue in namespace team-nlp\n"},
      {"C089: Kueue applies default by itself", "default", "", Existing::kKeep, "absent", "", ""},
      {"of the author", "team", "'kueue.x-k8s.io/queue-name':'own'", Existing::kKeep, "'own'",
       "queue wants team, found own at /metadata/labels/kueue.x-k8s.io~1queue-name\n", ""},
      {"replaced", "team", "'kueue.x-k8s.io/queue-name':'own'", Existing::kReplace, "'team'", "",
       ""},
  };
  for (const Row& row : rows) {
    Workbench bench(bare_pod(row.labels));
    bench.facts().kind = "Pod";
    if (!row.known.empty()) bench.cluster(local_queue(row.known));
    bench.existing(row.existing).text(SlotKind::kQueue, "team").run();
    EXPECT_EQ(bench.at(kKey), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.kept(), row.kept) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

TEST(Queue, OfAJobIsWrittenOnTheJobAndNotOnItsPods) {  // C090
  Workbench pod(pod_with(""));
  pod.text(SlotKind::kQueue, "team").run();
  EXPECT_TRUE(pod.unchanged());
  EXPECT_EQ(pod.warnings(), "queue team not written: Kueue reads it on the Job, not on its pods\n");

  Workbench job(
      "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'j'},'spec':{'template':"
      "{'metadata':{},'spec':{}}}}",
      "/spec/template");
  job.text(SlotKind::kQueue, "team").run();
  EXPECT_EQ(job.at(kKey), json_text("'team'"));
  EXPECT_EQ(job.at("/spec/template"), json_text("{'metadata':{},'spec':{}}"));
  EXPECT_EQ(job.at("/metadata/annotations"), json_text("{'berth.dev/rules':'t/rule'}"));
}

TEST(Queue, IsWrittenWhereTheSchedulerLooks) {
  const std::string_view open =
      "{'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'Queue','metadata':{'name':'team'},"
      "'status':{'state':'Open'}}";
  const std::string_view closed =
      "{'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'Queue','metadata':{'name':'team'},"
      "'status':{'state':'Closed'}}";
  struct Row {
    std::string_view why, scheduler;
    rules::GangBackend backend;
    std::string_view cluster, path, warnings;
  };
  const Row rows[] = {
      {"Volcano by the scheduler", "volcano", rules::GangBackend::kAuto, "",
       "/metadata/annotations/scheduling.volcano.sh~1queue-name", ""},
      {"Volcano by the gang", "default-scheduler", rules::GangBackend::kVolcano, open,
       "/metadata/annotations/scheduling.volcano.sh~1queue-name", ""},
      {"a closed queue", "volcano", rules::GangBackend::kAuto, closed, "",
       "queue team not written: it is closed\n"},
      {"KAI by the scheduler", "kai-scheduler", rules::GangBackend::kAuto, "",
       "/metadata/labels/kai.scheduler~1queue", ""},
      {"Kueue by the gang above another scheduler", "volcano", rules::GangBackend::kKueue, "", kKey,
       ""},
  };
  for (const Row& row : rows) {
    Workbench bench(
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'spec':{"
        "'schedulerName':'" +
        std::string(row.scheduler) + "'}}");
    bench.facts().kind = "Pod";
    if (!row.cluster.empty()) bench.cluster(row.cluster);
    rules::Gang gang;
    gang.backend = row.backend;
    bench.add(SlotKind::kGang, "", gang, "").text(SlotKind::kQueue, "team").run();
    EXPECT_EQ(bench.unchanged(), row.path.empty()) << row.why;
    if (!row.path.empty()) {
      EXPECT_EQ(bench.at(row.path), json_text("'team'")) << row.why;
    }
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

}  // namespace
}  // namespace berth::mutate
