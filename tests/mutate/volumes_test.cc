#include "mutate/volumes.h"

#include "mutate/mounts.h"
#include "tests/mutate/fixture.h"

namespace berth::mutate {
namespace {

using rules::ContainerChoice;
using rules::Existing;
using rules::SlotKind;

std::string gpu_container(std::string_view name, std::string_view mounts = "") {
  return "{'name':'" + std::string(name) +
         "','resources':{'limits':{'memory':'64Gi','nvidia.com/gpu':'1'}}" +
         (mounts.empty() ? "" : ",'volumeMounts':" + std::string(mounts)) + "}";
}

TEST(Mounts, ArePlainPaths) {
  EXPECT_EQ(plain_path("/dev/shm/"), "/dev/shm");
  EXPECT_EQ(plain_path("//dev//shm"), "/dev/shm");
  EXPECT_EQ(plain_path("/"), "/");
  EXPECT_EQ(plain_path(""), "");
}

TEST(Shm, IsMountedWhereNothingIs) {
  const std::string_view ours = "{'name':'shm','emptyDir':{'medium':'Memory','sizeLimit':'8Gi'}}";
  const std::string_view mount = "[{'name':'shm','mountPath':'/dev/shm'}]";
  struct Row {
    std::string_view why, spec, mounts;
    std::string volumes, result;
    std::string_view warnings;
  };
  const std::string named = "{'name':'shm','emptyDir':{}}";
  const Row rows[] = {
      {"A06 C041: no lists", "", "", "[" + std::string(ours) + "]", std::string(mount), ""},
      {"A07: null lists", "'volumes':null,", "null", "[" + std::string(ours) + "]",
       std::string(mount), ""},
      {"C038c: something of the host is mounted there",
       "'volumes':[{'name':'h','hostPath':{'path':'/dev/shm','type':''}}],",
       "[{'name':'h','mountPath':'/dev/shm'}]",
       "[{'name':'h','hostPath':{'path':'/dev/shm','type':''}}]",
       "[{'name':'h','mountPath':'/dev/shm'}]", ""},
      {"C038b: too small is said",
       "'volumes':[{'name':'m','emptyDir':{'medium':'Memory',"
       "'sizeLimit':'2Gi'}}],",
       "[{'name':'m','mountPath':'/dev/shm'}]",
       "[{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'2Gi'}}]",
       "[{'name':'m','mountPath':'/dev/shm'}]",
       "/dev/shm of container main has 2Gi, less than the 8Gi of the rule\n"},
      {"C038e C036: the same under another name and path",
       "'volumes':[{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'8192Mi'}}],",
       "[{'name':'m','mountPath':'/dev/shm/'}]",
       "[{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'8192Mi'}}]",
       "[{'name':'m','mountPath':'/dev/shm/'}]", ""},
      {"C038d: the name is taken", "'volumes':[{'name':'shm','emptyDir':{}}],",
       "[{'name':'shm','mountPath':'/scratch'}]",
       "[" + named + ",{'name':'shm-2','emptyDir':{'medium':'Memory','sizeLimit':'8Gi'}}]",
       "[{'name':'shm','mountPath':'/scratch'},{'name':'shm-2','mountPath':'/dev/shm'}]", ""},
      {"m023: the host's is seen", "'hostIPC':true,", "", "absent", "absent", ""},
      {"m024 D09: Windows has none", "'os':{'name':'windows'},", "", "absent", "absent", ""},
  };
  for (const Row& row : rows) {
    Workbench bench(pod_with(row.spec, gpu_container("main", row.mounts)));
    bench.text(SlotKind::kShm, "8Gi").run();
    EXPECT_EQ(bench.at("/spec/volumes"), json_text(row.volumes)) << row.why;
    EXPECT_EQ(bench.at("/spec/containers/0/volumeMounts"), json_text(row.result)) << row.why;
    EXPECT_EQ(bench.warnings(), row.warnings) << row.why;
  }
}

TEST(Shm, IsOneVolumeForAllContainers) {  // m022: the one that has a mount keeps it
  const std::string spec =
      "'volumes':[{'name':'mine','emptyDir':{'medium':'Memory','sizeLimit':'9Gi'}}],";
  Workbench bench(pod_with(spec, gpu_container("a", "[{'name':'mine','mountPath':'/dev/shm'}]") +
                                     "," + gpu_container("b") + "," + gpu_container("c")));
  bench.text(SlotKind::kShm, "8192Mi").run();
  EXPECT_EQ(bench.at("/spec/volumes/1"),
            json_text("{'name':'shm','emptyDir':{'medium':'Memory','sizeLimit':'8Gi'}}"));
  EXPECT_EQ(bench.at("/spec/volumes/2"), "absent");
  for (const char* path : {"/spec/containers/1", "/spec/containers/2"}) {
    EXPECT_EQ(bench.at(std::string(path) + "/volumeMounts"),
              json_text("[{'name':'shm','mountPath':'/dev/shm'}]"));
  }
  EXPECT_EQ(bench.kept(), "shm wants 8192Mi, found 9Gi at /spec/volumes/0\n");
}

TEST(Shm, IsNotAboveTheMemoryLimit) {
  Workbench bench(pod_with("", gpu_container("main")));
  bench.text(SlotKind::kShm, "65Gi").run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(),
            "shm 65Gi not mounted in container main: it counts against its memory limit 64Gi\n");
}

TEST(Shm, IsResizedOrRefusedWhereTheRuleSaysSo) {
  const std::string pod =
      pod_with("'volumes':[{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'2Gi'}}],",
               gpu_container("main", "[{'name':'m','mountPath':'/dev/shm'}]"));
  Workbench replaced(pod);
  replaced.existing(Existing::kReplace).text(SlotKind::kShm, "8Gi").run();
  EXPECT_EQ(replaced.at("/spec/volumes"),
            json_text("[{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'8Gi'}}]"));
  Workbench refused(pod);
  refused.existing(Existing::kDeny).text(SlotKind::kShm, "8Gi").run();
  EXPECT_EQ(refused.denials(), "shm is 2Gi, but has to be 8Gi\n");
}

TEST(Shm, NeedsASize) {
  Workbench bench(pod_with("", gpu_container("main")));
  bench.text(SlotKind::kShm, "much").run();
  EXPECT_TRUE(bench.unchanged());
  EXPECT_EQ(bench.warnings(), "shm 'much' not mounted: no size such as 8Gi\n");
}

class VolumeRule {
 public:
  VolumeRule(std::string_view pod, std::string_view volume, Existing existing = Existing::kKeep)
      : bench(pod) {
    const kube::Json json = bench.parse(volume);
    bench.existing(existing)
        .add(SlotKind::kVolume, std::string(json["name"].string_or_empty()), rules::Volume{json},
             "")
        .run();
  }
  Workbench bench;
};

constexpr std::string_view kModels =
    "{'name':'models','mountPath':'/models','readOnly':true,'hostPath':{'path':'/var/models'}}";

TEST(Volume, IsSplitIntoVolumeAndMount) {
  VolumeRule on(pod_with("", gpu_container("main") + ",{'name':'log'}"), kModels);
  EXPECT_EQ(on.bench.at("/spec/volumes"),
            json_text("[{'name':'models','hostPath':{'path':'/var/models'}}]"));
  EXPECT_EQ(on.bench.at("/spec/containers/0/volumeMounts"),
            json_text("[{'name':'models','mountPath':'/models','readOnly':true}]"));
  EXPECT_EQ(on.bench.at("/spec/containers/1/volumeMounts"), "absent") << "asks for no GPU";
}

TEST(Volume, OfTheAuthorStays) {
  const std::string mount = "[{'name':'models','mountPath':'/models','readOnly':true}]";
  struct Row {
    std::string_view why, spec;
    std::string mounts;
    std::string_view kept, warnings;
  };
  const Row rows[] = {
      {"the same, with what the API server adds",
       "'volumes':[{'name':'models','hostPath':{'path':'/var/models','type':''}}],", mount, "", ""},
      {"m025: another source under the name",
       "'volumes':[{'name':'models','persistentVolumeClaim':{'claimName':'m'}}],", mount,
       "volumes.models wants hostPath, found persistentVolumeClaim at /spec/volumes/0\n", ""},
      {"B02: another volume at the path", "'volumes':[{'name':'own','emptyDir':{}}],",
       "[{'name':'own','mountPath':'/models/'}]",
       "volumes.models wants models, found own at /spec/containers/0/volumeMounts/0\n",
       "volume models not mounted in container main: /models/ holds volume own\n"},
  };
  for (const Row& row : rows) {
    VolumeRule on(pod_with(row.spec, gpu_container("main", row.mounts)), kModels);
    EXPECT_TRUE(on.bench.unchanged()) << row.why << on.bench.patch();
    EXPECT_EQ(on.bench.kept(), row.kept) << row.why;
    EXPECT_EQ(on.bench.warnings(), row.warnings) << row.why;
  }
}

TEST(Volume, IsReplacedWhereTheRuleSaysSo) {
  VolumeRule on(pod_with("'volumes':[{'name':'models','persistentVolumeClaim':{'claimName':'m'}},"
                         "{'name':'own','emptyDir':{}}],",
                         gpu_container("main", "[{'name':'own','mountPath':'/models'}]")),
                kModels, Existing::kReplace);
  EXPECT_EQ(on.bench.at("/spec/volumes/0"),
            json_text("{'name':'models','hostPath':{'path':'/var/models'}}"));
  EXPECT_EQ(on.bench.at("/spec/containers/0/volumeMounts"),
            json_text("[{'name':'models','mountPath':'/models','readOnly':true}]"));
}

TEST(Volume, IsNotAddedForNobody) {
  VolumeRule on(pod_with("", "{'name':'log'}"), kModels);
  EXPECT_TRUE(on.bench.unchanged());
}

}  // namespace
}  // namespace berth::mutate
