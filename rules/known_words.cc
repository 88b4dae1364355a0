#include "rules/known_words.h"

#include <array>

namespace berth::rules {
namespace {

constexpr std::array<std::string_view, 36> kOwnerKinds = {
    "AppWrapper",
    "CronJob",
    "DaemonSet",
    "Deployment",
    "DynamoGraphDeployment",
    "InferenceService",
    "JAXJob",
    "Job",
    "JobSet",
    "LeaderWorkerSet",
    "MPIJob",
    "MXJob",
    "NIMService",
    "Node",
    "Notebook",
    "PaddleJob",
    "Pod",
    "PodCliqueSet",
    "PyTorchJob",
    "RayCluster",
    "RayJob",
    "RayService",
    "ReplicaSet",
    "ReplicationController",
    "SeldonDeployment",
    "Service",
    "SparkApplication",
    "StatefulSet",
    "StormService",
    "TFJob",
    "TrainJob",
    "VirtualMachineInstance",
    "Workflow",
    "Workspace",
    "XGBoostJob",
    "PipelineRun",
};

constexpr std::array<std::string_view, 20> kFrameworks = {
    "deepspeed",  "horovod",      "jax",    "megatron", "mpi",  "mxnet",   "nemo",
    "nim",        "ollama",       "paddle", "pytorch",  "ray",  "sglang",  "spark",
    "tensorflow", "tensorrt-llm", "tgi",    "triton",   "vllm", "xgboost",
};

constexpr std::array<std::string_view, 15> kVendors = {
    "amd",   "aws",      "biren", "cambricon", "enflame", "google",   "habana", "huawei",
    "hygon", "iluvatar", "intel", "kunlun",    "metax",   "mthreads", "nvidia",
};

}  // namespace

std::span<const std::string_view> known_owner_kinds() {
  return kOwnerKinds;
}

std::span<const std::string_view> known_frameworks() {
  return kFrameworks;
}

std::span<const std::string_view> known_vendors() {
  return kVendors;
}

}  // namespace berth::rules
