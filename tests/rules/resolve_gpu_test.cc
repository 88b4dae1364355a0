#include "fixtures.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/resolve.h"

namespace berth::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::json_of;

GpuShare mig(std::string memory, OrElse or_else = OrElse::kKeep) {
  GpuShare share;
  share.share = Share::kMig;
  if (!memory.empty()) share.memory = testing::constant(std::move(memory));
  share.or_else = or_else;
  return share;
}

GpuShare form(Share kind, OrElse or_else = OrElse::kKeep) {
  GpuShare share;
  share.share = kind;
  share.or_else = or_else;
  return share;
}

std::string pod_of(std::string_view main, std::string_view more = "") {
  return "{metadata: {labels: {}}, spec: {containers: [{name: main, " + std::string(main) + "}]" +
         std::string(more) + "}}";
}
constexpr std::string_view kOneGpu = "resources: {limits: {nvidia.com/gpu: 1}}";

class ResolveGpu : public ::testing::Test {
 protected:
  /// The answer to `wish` for a pod.
  const GpuAnswer& answer(const GpuShare& wish, std::string_view pod,
                          const topology::Snapshot& cluster) {
    rule_.id = "t/a";
    assignment_ = testing::assign(SlotKind::kGpu, "", wish);
    decision_ = {};
    decision_.settings.push_back({&assignment_, &rule_, wish.memory.text, {}, {}});
    subject_ = testing::pod_subject(json_of(pod, arena_));
    const Request request = testing::request_in("sandbox");
    facts_ = observe(subject_, request, cluster, {"berth.dev", &arena_});
    resolve(subject_, facts_, cluster, arena_, decision_);
    return std::get<GpuAnswer>(decision_.settings[0].answer);
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> out;
    for (const Message& message : decision_.warnings) out.push_back(message.text);
    return out;
  }
  static std::vector<std::string> values(const std::vector<LabelValues>& list) {
    std::vector<std::string> out;
    for (const LabelValues& one : list) {
      std::string text(one.label);
      for (const std::string_view value : one.values) text += " " + std::string(value);
      out.push_back(text);
    }
    return out;
  }

  testing::Cluster lab_ = testing::lab();
  base::Arena arena_;
  Rule rule_;
  Assignment assignment_;
  Decision decision_;
  Subject subject_;
  Facts facts_;
};

struct SliceCase {
  const char* memory;
  const char* profile;
};

TEST_F(ResolveGpu, TheSmallestSliceThatReallyHoldsIt) {
  constexpr SliceCase kCases[] = {
      {"2Gi", "1g.10gb"},  {"9Gi", "1g.10gb"},     {"9856Mi", "1g.10gb"},  {"10G", "1g.10gb"},
      {"10Gi", "2g.20gb"}, {"19968Mi", "2g.20gb"}, {"19969Mi", "3g.40gb"}, {"40192Mi", "3g.40gb"}};
  for (const SliceCase& row : kCases) {
    const GpuAnswer& given = answer(mig(row.memory), pod_of(kOneGpu), *lab_);
    EXPECT_EQ(given.profile, row.profile) << row.memory;
    EXPECT_EQ(given.resource, "nvidia.com/mig-" + std::string(row.profile)) << row.memory;
    EXPECT_FALSE(given.keep) << row.memory;
    EXPECT_THAT(given.require, IsEmpty()) << row.memory;
    EXPECT_THAT(warnings(), IsEmpty()) << row.memory;
  }
}

TEST_F(ResolveGpu, MoreThanAnySliceHasFallsBack) {
  EXPECT_TRUE(answer(mig("70Gi"), pod_of(kOneGpu), *lab_).keep);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("no MIG profile with 70Gi")));

  const GpuAnswer& whole = answer(mig("70Gi", OrElse::kWhole), pod_of(kOneGpu), *lab_);
  EXPECT_EQ(whole.share, Share::kWhole);
  EXPECT_FALSE(whole.keep);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("whole instead")));

  EXPECT_TRUE(answer(mig("70Gi", OrElse::kDeny), pod_of(kOneGpu), *lab_).keep);
  ASSERT_EQ(decision_.denials.size(), 1U);
  EXPECT_THAT(decision_.denials[0].text, HasSubstr("no MIG profile with 70Gi"));
}

TEST_F(ResolveGpu, ANamedProfileIsTakenWhereItIsOffered) {
  GpuShare wish = form(Share::kMig);
  wish.profile = "3g.40gb";
  EXPECT_EQ(answer(wish, pod_of(kOneGpu), *lab_).resource, "nvidia.com/mig-3g.40gb");
  wish.profile = "1g.5gb";
  EXPECT_TRUE(answer(wish, pod_of(kOneGpu), *lab_).keep);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("no node offers MIG profile 1g.5gb")));
}

TEST_F(ResolveGpu, SeveralGpusNeverBecomeSeveralSlices) {
  const std::string two = pod_of("resources: {limits: {nvidia.com/gpu: 2}}");
  for (const Share kind : {Share::kMig, Share::kMps, Share::kTimeslice}) {
    EXPECT_TRUE(answer(form(kind), two, *lab_).keep);
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("asks for 2 GPUs")));
  }
}

TEST_F(ResolveGpu, WhatGoesRoundTheDevicePluginStaysWhole) {
  struct Row {
    const char* env;
    bool keep;
  };
  for (const Row& row : {Row{"{name: NVIDIA_VISIBLE_DEVICES, value: all}", true},
                         Row{"{name: NVIDIA_VISIBLE_DEVICES, value: GPU-5c1f}", true},
                         Row{"{name: NVIDIA_VISIBLE_DEVICES, valueFrom: {}}", true},
                         Row{"{name: NVIDIA_VISIBLE_DEVICES, value: void}", false},
                         Row{"{name: CUDA_VISIBLE_DEVICES, value: '0'}", false},
                         Row{"{name: CUDA_VISIBLE_DEVICES, value: GPU-5c1f}", true}}) {
    const std::string pod = pod_of(std::string(kOneGpu) + ", env: [" + row.env + "]");
    EXPECT_EQ(answer(mig("9Gi"), pod, *lab_).keep, row.keep) << row.env;
    EXPECT_EQ(warnings().empty(), !row.keep) << row.env;
  }
}

TEST_F(ResolveGpu, ARequestWithoutALimitIsNotOursToRepair) {
  EXPECT_TRUE(answer(mig("9Gi"), pod_of("resources: {requests: {nvidia.com/gpu: 1}}"), *lab_).keep);
}

TEST_F(ResolveGpu, OtherVendorsAndOtherFormsAreLeftAlone) {
  for (const char* resources :
       {"{limits: {amd.com/gpu: 1}}", "{limits: {huawei.com/Ascend910: 1}}",
        "{limits: {nvidia.com/mig-1g.10gb: 1}}", "{limits: {nvidia.com/gpu.shared: 1}}",
        "{limits: {deviceclass.resource.kubernetes.io/gpu.nvidia.com: 1}}",
        "{limits: {nvidia.com/gpu: 1, nvidia.com/mig-1g.10gb: 1}}"}) {
    EXPECT_TRUE(answer(mig("9Gi"), pod_of(std::string("resources: ") + resources), *lab_).keep)
        << resources;
    EXPECT_THAT(warnings(), IsEmpty()) << resources;
  }
}

TEST_F(ResolveGpu, SlicesAreChosenAmongTheNodesOfTheAuthor) {
  const std::string h100 =
      pod_of(kOneGpu, ", nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}");
  EXPECT_TRUE(answer(mig("9Gi"), h100, *lab_).keep);
  const std::string a100 =
      pod_of(kOneGpu, ", nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}");
  EXPECT_EQ(answer(mig("9Gi"), a100, *lab_).profile, "1g.10gb");
}

TEST_F(ResolveGpu, QuotaIsAskedFirst) {
  const auto quota = [](std::string_view hard, std::string_view used) {
    return "{apiVersion: v1, kind: ResourceQuota, metadata: {name: gpus, namespace: sandbox}, "
           "spec: {hard: {" +
           std::string(hard) + "}}, status: {used: {" + std::string(used) + "}}}";
  };
  const auto zero = testing::lab({quota("requests.nvidia.com/mig-2g.20gb: '0'", "")});
  EXPECT_EQ(answer(mig("18Gi"), pod_of(kOneGpu), *zero).profile, "3g.40gb");
  EXPECT_THAT(warnings(), ElementsAre("quota 'gpus' has no room for nvidia.com/mig-2g.20gb"));

  const auto full =
      testing::lab({quota("requests.nvidia.com/mig-2g.20gb: '3', "
                          "requests.nvidia.com/mig-3g.40gb: '1'",
                          "requests.nvidia.com/mig-2g.20gb: '3', "
                          "requests.nvidia.com/mig-3g.40gb: '1'")});
  EXPECT_TRUE(answer(mig("18Gi"), pod_of(kOneGpu), *full).keep);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("quota"), HasSubstr("quota")));

  const auto elsewhere = testing::lab({quota("requests.nvidia.com/gpu: '2'", "")});
  EXPECT_EQ(answer(mig("18Gi"), pod_of(kOneGpu), *elsewhere).profile, "2g.20gb");
  EXPECT_THAT(warnings(),
              ElementsAre("quota 'gpus' counts nvidia.com/gpu, not nvidia.com/mig-2g.20gb"));

  const auto room = testing::lab(
      {quota("requests.nvidia.com/mig-2g.20gb: '3'", "requests.nvidia.com/mig-2g.20gb: '2'")});
  EXPECT_EQ(answer(mig("18Gi"), pod_of(kOneGpu), *room).profile, "2g.20gb");
}

TEST_F(ResolveGpu, WholeCardsAreKeptOffDividedNodes) {
  const GpuAnswer& given = answer(form(Share::kWhole), pod_of(kOneGpu), *lab_);
  EXPECT_FALSE(given.keep);
  EXPECT_EQ(given.resource, "");
  EXPECT_THAT(values(given.refuse),
              ElementsAre("nvidia.com/gpu.product NVIDIA-A100-SXM4-80GB-MIG-1g.10gb "
                          "NVIDIA-A100-SXM4-80GB-MIG-INVALID NVIDIA-L4-SHARED",
                          "nvidia.com/gpu.sharing-strategy mps time-slicing"));
}

TEST_F(ResolveGpu, SharesGoByTheNameThatTheirNodesOffer) {
  const GpuAnswer& mps = answer(form(Share::kMps), pod_of(kOneGpu), *lab_);
  EXPECT_EQ(mps.resource, "nvidia.com/gpu.shared");
  EXPECT_THAT(values(mps.require), ElementsAre("nvidia.com/gpu.sharing-strategy mps"));
  const GpuAnswer& slot = answer(form(Share::kTimeslice), pod_of(kOneGpu), *lab_);
  EXPECT_EQ(slot.resource, "nvidia.com/gpu");
  EXPECT_THAT(values(slot.require), ElementsAre("nvidia.com/gpu.sharing-strategy time-slicing"));

  GpuShare large = form(Share::kMps, OrElse::kTimeslice);
  large.memory = testing::constant("5Gi");  // a tenth of an L4 has 2.2 GiB, a quarter 5.6
  const GpuAnswer& quarter = answer(large, pod_of(kOneGpu), *lab_);
  EXPECT_EQ(quarter.share, Share::kTimeslice);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("timeslice instead")));
}

TEST_F(ResolveGpu, AFleetCutAlikeIsAskedByThePlainName) {
  const auto single = testing::cluster_of(
      {"{apiVersion: v1, kind: Node, metadata: {name: s, labels: {nvidia.com/gpu.product: "
       "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb, nvidia.com/mig.strategy: single, nvidia.com/gpu.count: "
       "'7', nvidia.com/gpu.memory: '9856'}}, status: {allocatable: {nvidia.com/gpu: '7'}, "
       "conditions: [{type: Ready, status: 'True'}]}}"});
  const GpuAnswer& given = answer(mig("9Gi"), pod_of(kOneGpu), *single);
  EXPECT_FALSE(given.keep);
  EXPECT_EQ(given.resource, "nvidia.com/gpu");
  EXPECT_EQ(given.profile, "1g.10gb");
  EXPECT_THAT(values(given.require),
              ElementsAre("nvidia.com/gpu.product NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"));
}

TEST_F(ResolveGpu, OneProfileOfTwoSizesNamesTheNodesThatHoldIt) {
  const auto node = [](std::string_view name, std::string_view product, std::string_view mib) {
    return "{apiVersion: v1, kind: Node, metadata: {name: " + std::string(name) +
           ", labels: {nvidia.com/gpu.product: " + std::string(product) +
           ", nvidia.com/mig.strategy: mixed, nvidia.com/mig-1g.10gb.memory: '" + std::string(mib) +
           "'}}, status: {allocatable: {nvidia.com/mig-1g.10gb: '7'}, conditions: [{type: Ready, "
           "status: 'True'}]}}";
  };
  const auto two = testing::cluster_of({node("a", "NVIDIA-A100-SXM4-80GB", "9728") + "\n---\n" +
                                        node("b", "NVIDIA-H100-80GB-HBM3", "9984")});
  EXPECT_THAT(answer(mig("9Gi"), pod_of(kOneGpu), *two).require, IsEmpty());
  EXPECT_THAT(values(answer(mig("9900Mi"), pod_of(kOneGpu), *two).require),
              ElementsAre("nvidia.com/gpu.product NVIDIA-H100-80GB-HBM3"));
}

TEST_F(ResolveGpu, WithoutNodesNothingIsInvented) {
  const auto unknown = testing::nothing_known();
  EXPECT_TRUE(answer(mig("9Gi"), pod_of(kOneGpu), *unknown).keep);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("nodes are not known")));
  EXPECT_FALSE(answer(form(Share::kWhole), pod_of(kOneGpu), *unknown).keep);
}

// A pod of vLLM with one GPU that serves `model`.
std::string server_of(std::string_view model, std::string_view more = "") {
  return pod_of("image: vllm/vllm-openai, args: [--model, " + std::string(model) +
                ", --max-model-len, '4096'" + std::string(more) + "], " + std::string(kOneGpu));
}

TEST_F(ResolveGpu, AutoTakesWhatHoldsTheModel) {
  const GpuShare wish = form(Share::kAuto);
  EXPECT_EQ(answer(wish, server_of("Qwen/Qwen2.5-1.5B-Instruct"), *lab_).profile, "1g.10gb");
  EXPECT_EQ(answer(wish, server_of("meta-llama/Llama-3.1-8B"), *lab_).profile, "2g.20gb");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(answer(wish, server_of("acme/chat-30b"), *lab_).share, Share::kWhole);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ResolveGpu, AutoTakesTheStatedMemoryFirst) {
  std::string pod = server_of("meta-llama/Llama-3.1-8B");
  const std::string stated = "annotations: {berth.dev/gpu-memory: 38Gi}, labels: {}";
  pod.replace(pod.find("labels: {}"), 10, stated);
  EXPECT_EQ(answer(form(Share::kAuto), pod, *lab_).profile, "3g.40gb");
  GpuShare ruled = mig("8Gi");
  ruled.share = Share::kAuto;
  EXPECT_EQ(answer(ruled, pod, *lab_).profile, "1g.10gb");
}

TEST_F(ResolveGpu, AutoKeepsParallelServersOnWholeGpus) {
  const GpuShare wish = form(Share::kAuto);
  const std::string parallel = server_of("Qwen/Qwen2.5-1.5B", ", --pipeline-parallel-size, '2'");
  EXPECT_EQ(answer(wish, parallel, *lab_).share, Share::kWhole);
  const std::string two = pod_of("resources: {limits: {nvidia.com/gpu: 2}}");
  EXPECT_EQ(answer(wish, two, *lab_).share, Share::kWhole);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ResolveGpu, AutoSaysThatTheNeedIsNotKnown) {
  EXPECT_EQ(answer(form(Share::kAuto), server_of("chat-large"), *lab_).share, Share::kWhole);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("is not known: whole GPUs")));
}

TEST_F(ResolveGpu, TimeSlicesAreTooSmallForAFractionOfTheWholeCard) {
  answer(form(Share::kTimeslice), server_of("a/b"), *lab_);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("vllm takes 90 % of the whole card")));
  answer(form(Share::kTimeslice), server_of("a/b", ", --gpu-memory-utilization, '0.2'"), *lab_);
  EXPECT_THAT(warnings(), IsEmpty());
}

}  // namespace
}  // namespace berth::rules
