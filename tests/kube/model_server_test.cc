#include "kube/model_server.h"

#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kube/command_words.h"
#include "kube/workload.h"

namespace berth::kube {
namespace {

Pod pod_from(const std::string& text, base::Arena& arena) {
  const auto json = parse_json(text, arena);
  EXPECT_TRUE(json.has_value()) << text;
  return Pod(json.value_or(Json()));
}

constexpr char kGpu[] = R"j("resources":{"limits":{"nvidia.com/gpu":"1"}})j";

// A pod with labels and containers, as JSON members.
Pod pod_of(const std::string& labels, const std::string& containers, base::Arena& arena) {
  return pod_from(R"j({"metadata":{"labels":{)j" + labels + R"j(}},"spec":{"containers":[)j" +
                      containers + "]}}",
                  arena);
}

std::string_view framework(const Pod& pod) {
  return framework_of(pod, top_owner(pod));
}

// "vllm meta/x as=chat tp=2 pp=2 dp=2 len=8192 mem=0.9 quant=awq dtype=half kv=fp8", what is not
// stated left out.
std::string describe(const Pod& pod, base::Arena& arena) {
  const std::string_view engine = framework(pod);
  const ModelServer server = model_server_of(pod, engine, arena);
  std::string out(engine);
  const auto text = [&out](const char* key, std::string_view value) {
    if (!value.empty()) out.append(key).append(value);
  };
  const auto number = [&out](const char* key, std::int64_t value) {
    if (value != 0) out.append(key).append(std::to_string(value));
  };
  text(" ", server.model);
  text(" as=", server.served_model);
  number(" tp=", server.tensor_parallel);
  number(" pp=", server.pipeline_parallel);
  number(" dp=", server.data_parallel);
  number(" len=", server.max_model_len);
  if (server.gpu_memory_fraction > 0)
    out += " mem=" + std::to_string(server.gpu_memory_fraction).substr(0, 4);
  text(" quant=", server.quantization);
  text(" dtype=", server.dtype);
  text(" kv=", server.kv_cache_dtype);
  return out;
}

struct Shape {
  const char* where;   // whose manifest has this shape
  std::string labels;  // members
  std::string containers;
  std::string expected;
};

std::string gpu(const std::string& members) {
  return "{" + members + "," + kGpu + "}";
}

const std::vector<Shape>& serving() {
  static const std::vector<Shape> kShapes =
      {
          {"vllm docs, Kubernetes", R"j("app":"mistral-7b")j",
           gpu(R"j("name":"mistral-7b","image":"vllm/vllm-openai:latest","command":["/bin/sh","-c"],
         "args":["vllm serve mistralai/Mistral-7B-Instruct-v0.3 --trust-remote-code --enable-chunked-prefill --max_num_batched_tokens 1024"])j"),
           "vllm mistralai/Mistral-7B-Instruct-v0.3"},
          {"vllm docs, arguments alone", "",
           gpu(R"j("name":"a","image":"vllm/vllm-openai:v0.6.0","args":["--model","Qwen/Qwen2.5-7B-Instruct","--max-model-len=8192","--gpu-memory-utilization","0.85","-tp","2"])j"),
           "vllm Qwen/Qwen2.5-7B-Instruct tp=2 len=8192 mem=0.85"},
          {"vllm docs, newer entry point", "",
           gpu(R"j("name":"a","image":"vllm/vllm-openai:v0.11.0","args":["openai/gpt-oss-20b","--port","8000"])j"),
           "vllm openai/gpt-oss-20b"},
          {"vllm, module of older versions", "",
           gpu(R"j("name":"a","image":"r.io/x:1","command":["python3","-m","vllm.entrypoints.openai.api_server","--model=/models/llama","--served-model-name","llama","--tensor-parallel-size=4","--quantization","awq","--dtype","half"])j"),
           "vllm /models/llama as=llama tp=4 quant=awq dtype=half"},
          {"vllm, reduced lengths", "",
           gpu(R"j("name":"a","image":"vllm/vllm-openai:v0.9","args":["--model","m/x","--max-model-len","32k","--kv-cache-dtype","fp8"])j"),
           "vllm m/x len=32000 kv=fp8"},
          {"vllm, the last flag counts", "",
           gpu(R"j("name":"a","image":"vllm/vllm-openai:v0.9","args":["--model","a/b","--model","c/d","--max-model-len","128K","-q","None"])j"),
           "vllm c/d len=131072"},
          {"vllm, variables of the container", "",
           gpu(R"j("name":"a","image":"vllm/vllm-openai:v0.9","args":["--model","$(MODEL)","--tensor-parallel-size","$(TP)"],
         "env":[{"name":"MODEL","value":"google/gemma-3-27b-it"},{"name":"TP","value":"2"}])j"),
           "vllm google/gemma-3-27b-it tp=2"},
          {"vllm, variable from a ConfigMap", "",
           gpu(R"j("name":"a","image":"vllm/vllm-openai:v0.9","args":["--model","$(MODEL)","--max-model-len","4096"],
         "env":[{"name":"MODEL","valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}}])j"),
           "vllm len=4096"},
          {"vllm, script with defaults", "",
           gpu(R"j("name":"a","image":"r.io/x:1","command":["bash","-ec"],"args":["exec vllm serve \"${MODEL:-tiiuae/falcon-7b}\" \\\n  --tensor-parallel-size $TP \\\n  --port 8000"],"env":[{"name":"TP","value":"8"}])j"),
           "vllm tiiuae/falcon-7b tp=8"},
          {"production-stack chart",
           R"j("model":"llama3","helm-release-name":"vllm","app.kubernetes.io/component":"serving-engine","environment":"test","release":"test")j",
           gpu(R"j("name":"vllm","image":"lmcache/vllm-openai:latest","command":["vllm","serve","meta-llama/Llama-3.1-8B-Instruct","--host","0.0.0.0","--port","8000","--max-model-len","16384","--tensor-parallel-size","1","--gpu-memory-utilization","0.8"])j"),
           "vllm meta-llama/Llama-3.1-8B-Instruct tp=1 len=16384 mem=0.80"},
          {"llm-d modelservice, decode",
           R"j("llm-d.ai/inference-serving":"true","llm-d.ai/model":"qwen3-32b","llm-d.ai/role":"decode")j",
           gpu(R"j("name":"vllm","image":"ghcr.io/llm-d/llm-d-cuda:v0.3.0","command":["vllm","serve"],"args":["Qwen/Qwen3-32B","--port","8200","--kv-transfer-config","{\"kv_connector\":\"NixlConnector\"}","--tensor-parallel-size","4"])j"),
           "vllm Qwen/Qwen3-32B as=qwen3-32b tp=4"},
          {"llm-d, prefill with a sidecar first", R"j("llm-d.ai/role":"prefill")j",
           R"j({"name":"routing-proxy","image":"ghcr.io/llm-d/llm-d-routing-sidecar:v0.3.0","args":["--port=8000","--vllm-port=8200"]},)j" +
               gpu(R"j("name":"vllm","image":"ghcr.io/llm-d/llm-d-cuda:v0.3.0","command":["vllm","serve","m/x"])j"),
           "vllm m/x"},
          {"LWS leader", "",
           gpu(R"j("name":"vllm-leader","image":"vllm/vllm-openai:latest","command":["sh","-c","bash /vllm-workspace/examples/online_serving/multi-node-serving.sh leader --ray_cluster_size=$(LWS_GROUP_SIZE); python3 -m vllm.entrypoints.openai.api_server --port 8080 --model meta-llama/Meta-Llama-3.1-405B-Instruct --tensor-parallel-size 8 --pipeline_parallel_size 2"])j"),
           "vllm meta-llama/Meta-Llama-3.1-405B-Instruct tp=8 pp=2"},
          {"LWS worker", "",
           gpu(R"j("name":"vllm-worker","image":"vllm/vllm-openai:latest","command":["sh","-c","bash /vllm-workspace/examples/online_serving/multi-node-serving.sh worker --ray_address=$(LWS_LEADER_ADDRESS)"])j"),
           "vllm"},
          {"KServe Hugging Face server",
           R"j("serving.kserve.io/inferenceservice":"llama3","component":"predictor")j",
           gpu(R"j("name":"kserve-container","image":"kserve/huggingfaceserver:v0.15.0-gpu","args":["--model_name=llama3","--model_id=meta-llama/meta-llama-3-8b-instruct","--max_model_len=4096"])j"),
           "vllm meta-llama/meta-llama-3-8b-instruct as=llama3 len=4096"},
          {"KServe, proxy first",
           R"j("serving.kserve.io/inferenceservice":"chat")j", R"j({"name":"kube-rbac-proxy","image":"r.io/auth/proxy:4"},)j" + gpu(R"j("name":"kserve-container","image":"quay.io/modh/vllm:rhoai","command":["python","-m","vllm.entrypoints.openai.api_server"],"args":["--port=8080","--model=/mnt/models","--served-model-name=chat"])j"),
           "vllm /mnt/models as=chat"},
          {"KServe, agent behind", R"j("serving.kserve.io/inferenceservice":"t5")j",
           gpu(R"j("name":"kserve-container","image":"kserve/huggingfaceserver:latest","args":["--model_name=t5","--model_dir=/mnt/models"])j") +
               R"j(,{"name":"agent","image":"kserve/agent:v0.15"})j",
           "vllm /mnt/models as=t5"},
          {"KServe multi-node worker",
           R"j("multinode/role":"worker","serving.kserve.io/inferenceservice":"big")j",
           gpu(R"j("name":"worker-container","image":"kserve/huggingfaceserver:v0.15.0-gpu","command":["bash","-c","ray start --address=$RAY_HEAD_ADDRESS --block"],"env":[{"name":"TENSOR_PARALLEL_SIZE","value":"4"},{"name":"PIPELINE_PARALLEL_SIZE","value":"2"}])j"),
           "vllm as=big tp=4 pp=2"},
          {"KServe LLMInferenceService",
           R"j("app.kubernetes.io/part-of":"llminferenceservice","kserve.io/component":"workload","llm-d.ai/role":"both")j",
           gpu(R"j("name":"main","image":"ghcr.io/llm-d/llm-d-dev:v0.2.2","command":["vllm","serve","/mnt/models"],"args":["--served-model-name","facebook/opt-125m","--port","8000"])j"),
           "vllm /mnt/models as=facebook/opt-125m"},
          {"ROCm image", "",
           R"j({"name":"a","image":"rocm/vllm:latest","args":["--model","a/b","--tensor-parallel-size","8"],"resources":{"limits":{"amd.com/gpu":"8"}}})j",
           "vllm a/b tp=8"},
          {"GPU by claim, exporter beside", "",
           R"j({"name":"dcgm-exporter","image":"nvidia/vllm-exporter:1"},{"name":"a","image":"vllm/vllm-openai:1","args":["--model","a/b"],"resources":{"claims":[{"name":"gpu"}]}})j",
           "vllm a/b"},
          {"SGLang docs", "",
           gpu(R"j("name":"sgl","image":"lmsysorg/sglang:latest","command":["python3","-m","sglang.launch_server","--model-path","meta-llama/Llama-3.1-8B-Instruct","--tp","2","--mem-fraction-static","0.8","--context-length","16384"])j"),
           "sglang meta-llama/Llama-3.1-8B-Instruct tp=2 len=16384 mem=0.80"},
          {"SGLang on LWS", "",
           gpu(R"j("name":"leader","image":"lmsysorg/sglang:latest","command":["python3","-m","sglang.launch_server","--model-path","deepseek-ai/DeepSeek-R1","--tp","16","--dist-init-addr","$(LWS_LEADER_ADDRESS):20000","--nnodes","$(LWS_GROUP_SIZE)","--node-rank","$(LWS_WORKER_INDEX)","--trust-remote-code"])j"),
           "sglang deepseek-ai/DeepSeek-R1 tp=16"},
          {"SGLang, serve", "",
           gpu(R"j("name":"a","image":"lmsysorg/sglang:v0.5","command":["sglang","serve","--model-path","q/w","--dp-size","2","--quantization","fp8"])j"),
           "sglang q/w dp=2 quant=fp8"},
          {"TGI, flags", "",
           gpu(R"j("name":"tgi","image":"ghcr.io/huggingface/text-generation-inference:3.0","args":["--model-id","HuggingFaceH4/zephyr-7b-beta","--num-shard","2","--max-total-tokens","4096","--quantize","bitsandbytes-nf4"])j"),
           "tgi HuggingFaceH4/zephyr-7b-beta tp=2 len=4096 quant=bitsandbytes-nf4"},
          {"TGI, variables (GKE samples)", "",
           gpu(R"j("name":"tgi","image":"us-docker.pkg.dev/deeplearning-platform-release/gcr.io/huggingface-text-generation-inference-cu121.2-2.ubuntu2204.py310","env":[{"name":"MODEL_ID","value":"google/gemma-2-9b-it"},{"name":"NUM_SHARD","value":"1"},{"name":"CUDA_MEMORY_FRACTION","value":"0.9"}])j"),
           "tgi google/gemma-2-9b-it tp=1 mem=0.90"},
          {"TGI, a flag wins over a variable", "",
           gpu(R"j("name":"tgi","image":"r.io/tgi:2","args":["--model-id=a/b"],"env":[{"name":"MODEL_ID","value":"c/d"}])j"),
           "tgi a/b"},
          {"Triton chart (k8s-onprem)", R"j("app":"triton-inference-server","release":"x")j", gpu(R"j("name":"triton","image":"nvcr.io/nvidia/tritonserver:24.05-py3","args":["tritonserver","--model-store=/models","--allow-gpu-metrics=true"])j"),
           "triton"},
          {"Triton, explicit model", "",
           gpu(R"j("name":"t","image":"r.io/x:1","command":["/opt/tritonserver/bin/tritonserver"],"args":["--model-repository=s3://b/m","--model-control-mode=explicit","--load-model=resnet50"])j"),
           "triton as=resnet50"},
          {"Triton with the TensorRT-LLM tag", "",
           gpu(R"j("name":"t","image":"nvcr.io/nvidia/tritonserver:25.01-trtllm-python-py3","command":["tritonserver","--model-repository=/m"])j"),
           "triton"},
          {"Triton under KServe", R"j("serving.kserve.io/inferenceservice":"cv")j",
           gpu(R"j("name":"kserve-container","image":"nvcr.io/nvidia/tritonserver:23.05-py3","args":["tritonserver","--model-store=/mnt/models","--grpc-port=9000"])j"),
           "triton as=cv"},
          {"TensorRT-LLM", "",
           gpu(R"j("name":"a","image":"nvcr.io/nvidia/tensorrt-llm/release:1.0","command":["trtllm-serve","serve","nvidia/Llama-3.3-70B-Instruct-FP8","--tp_size","4","--max_seq_len","8192"])j"),
           "tensorrt-llm nvidia/Llama-3.3-70B-Instruct-FP8 tp=4 len=8192"},
          {"TensorRT-LLM, short form", "",
           gpu(R"j("name":"a","image":"r.io/x:1","command":["sh","-c","trtllm-serve TinyLlama/TinyLlama-1.1B-Chat-v1.0 --port 8000"])j"),
           "tensorrt-llm TinyLlama/TinyLlama-1.1B-Chat-v1.0"},
          {"TensorRT-LLM by mpirun", "",
           gpu(R"j("name":"a","image":"r.io/trtllm:1","command":["mpirun","-n","16","trtllm-llmapi-launch","trtllm-serve","deepseek-ai/DeepSeek-V3","--tp_size","16"])j"),
           "tensorrt-llm tp=16"},
          {"Ollama chart", R"j("app.kubernetes.io/name":"ollama")j",
           gpu(R"j("name":"ollama","image":"ollama/ollama:0.6.2","env":[{"name":"OLLAMA_HOST","value":"0.0.0.0"},{"name":"OLLAMA_CONTEXT_LENGTH","value":"8192"}])j"),
           "ollama len=8192"},
          {"Ollama, model in a script", "",
           gpu(R"j("name":"o","image":"ollama/ollama:0.6","command":["sh","-c","ollama pull llama3.2:3b"])j"),
           "ollama llama3.2:3b"},
          {"NIM operator", R"j("app.kubernetes.io/managed-by":"k8s-nim-operator")j",
           gpu(R"j("name":"x-ctr","image":"nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.4","env":[{"name":"NIM_CACHE_PATH","value":"/model-store"},{"name":"NIM_MAX_MODEL_LEN","value":"16384"}])j"),
           "nim meta/llama-3.1-8b-instruct len=16384"},
          {"NIM chart, model named", "",
           gpu(R"j("name":"nim","image":"nvcr.io/nim/nvidia/llm-nim:1.12","env":[{"name":"NIM_MODEL_NAME","value":"hf://mistralai/Mistral-7B-Instruct-v0.3"},{"name":"NIM_SERVED_MODEL_NAME","value":"mistral"},{"name":"NIM_TENSOR_PARALLEL_SIZE","value":"2"}])j"),
           "nim hf://mistralai/Mistral-7B-Instruct-v0.3 as=mistral tp=2"},
          {"Istio in front", "",
           R"j({"name":"istio-proxy","image":"istio/proxyv2:1.22"},)j" +
               gpu(R"j("name":"server","image":"vllm/vllm-openai:1","args":["--model","a/b"])j"),
           "vllm a/b"},
          {"metrics beside, with the engine's image", "",
           R"j({"name":"metrics","image":"vllm/vllm-openai:1","command":["python3","scrape.py"]},)j" +
               gpu(R"j("name":"server","image":"vllm/vllm-openai:1","args":["--model","a/b"])j"),
           "vllm a/b"},
          {"AIBrix", R"j("model.aibrix.ai/name":"qwen")j",
           gpu(R"j("name":"vllm-openai","image":"vllm/vllm-openai:v0.7.1","command":["python3","-m","vllm.entrypoints.openai.api_server","--host","0.0.0.0","--model","Qwen/Qwen2.5-1.5B-Instruct","--served-model-name","qwen","--max-model-len","2048"])j") +
               R"j(,{"name":"aibrix-runtime","image":"aibrix/runtime:v0.2.0"})j",
           "vllm Qwen/Qwen2.5-1.5B-Instruct as=qwen len=2048"},
          {"SageMaker variables of TGI", "",
           gpu(R"j("name":"a","image":"r.io/huggingface-pytorch-tgi-inference/tgi:2.4","env":[{"name":"HF_MODEL_ID","value":"a/b"}])j"),
           "tgi a/b"},
      };
  return kShapes;
}

TEST(ModelServer, ReadsWhatEnginesAreTold) {
  for (const Shape& shape : serving()) {
    base::Arena arena;
    const Pod pod = pod_of(shape.labels, shape.containers, arena);
    EXPECT_EQ(describe(pod, arena), shape.expected) << shape.where;
  }
}

// GPU pods that serve no model: image and command.
const std::vector<std::string>& other_gpu_pods() {
  static const std::vector<std::string> kContainers = {
      R"j("image":"pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime","command":["torchrun","--nproc-per-node=8","train.py"])j",
      R"j("image":"nvcr.io/nvidia/pytorch:24.10-py3","command":["python","-m","torch.distributed.run","main.py"])j",
      R"j("image":"nvcr.io/nvidia/nemo:24.07","command":["nemo","llm","pretrain"])j",
      R"j("image":"nvcr.io/nvidia/tensorflow:24.03-tf2-py3","command":["python","train.py"])j",
      R"j("image":"tensorflow/tensorflow:2.17.0-gpu","args":["--model","resnet"])j",
      R"j("image":"deepspeed/deepspeed:v0.15","command":["deepspeed","--num_gpus","8","finetune.py","--model_name_or_path","meta-llama/Llama-3-8B"])j",
      R"j("image":"mpioperator/horovod:0.28","command":["mpirun","-np","8","python","train.py"])j",
      R"j("image":"huggingface/transformers-pytorch-gpu:4.46","command":["accelerate","launch","sft.py"])j",
      R"j("image":"winglian/axolotl:main-latest","command":["accelerate","launch","-m","axolotl.cli.train","cfg.yml"])j",
      R"j("image":"hiyouga/llamafactory:0.9","command":["llamafactory-cli","train","c.yaml"])j",
      R"j("image":"rayproject/ray-ml:2.40-gpu","command":["ray","start","--head"])j",
      R"j("image":"rapidsai/notebooks:24.10-cuda12","command":["jupyter-lab"])j",
      R"j("image":"jupyter/tensorflow-notebook:cuda12","command":["start-notebook.sh"])j",
      R"j("image":"nvcr.io/nvidia/k8s/dcgm-exporter:3.3.9","command":["dcgm-exporter"])j",
      R"j("image":"nvcr.io/nvidia/cuda:12.6-base","command":["nvidia-smi"])j",
      R"j("image":"nvcr.io/nvidia/k8s/cuda-sample:vectoradd","command":["/cuda-samples/vectorAdd"])j",
      R"j("image":"nvcr.io/nvidia/clara/parabricks:4.3","command":["pbrun","fq2bam"])j",
      R"j("image":"gromacs/gromacs:2024","command":["gmx","mdrun"])j",
      R"j("image":"linuxserver/ffmpeg:7","command":["ffmpeg","-hwaccel","cuda"])j",
      R"j("image":"blender/blender:4","command":["blender","-b","scene.blend"])j",
      R"j("image":"nvcr.io/nvidia/isaac-sim:4.2","command":["./runheadless.sh"])j",
      R"j("image":"xgboost/xgboost-gpu:2","command":["python","fit.py"])j",
      R"j("image":"ghcr.io/google/jax:nightly","command":["python","main.py"])j",
      R"j("image":"registry/openpi:1","command":["python","scripts/train.py"])j",
      R"j("image":"nvcr.io/nvidia/tritonserver:24.05-py3-sdk","command":["perf_analyzer","-m","resnet50"])j",
      R"j("image":"registry/eval:1","command":["lm_eval","--model","hf","--model_args","pretrained=a/b"])j",
      R"j("image":"apache/spark:3.5-rapids","command":["/opt/spark/bin/spark-submit"])j",
      R"j("image":"registry/embeddings:3","command":["python","batch_embed.py","--models","/models/vllm"])j",
      R"j("image":"nccl-tests:1","command":["/opt/nccl-tests/build/all_reduce_perf"])j",
      R"j("image":"registry.k8s.io/pause:3.10")j",
  };
  return kContainers;
}

// Pods without a GPU that stand near engines.
const std::vector<std::string>& cpu_pods() {
  static const std::vector<std::string> kContainers = {
      R"j("image":"lmcache/lmstack-router:latest","args":["--host","0.0.0.0"])j",
      R"j("image":"vllm/production-stack-router:0.1","args":["--service-discovery","k8s"])j",
      R"j("image":"ghcr.io/llm-d/llm-d-inference-scheduler:v0.3","args":["-poolName","x"])j",
      R"j("image":"ghcr.io/llm-d/llm-d-routing-sidecar:v0.3","args":["--port=8000","--vllm-port=8200"])j",
      R"j("image":"ghcr.io/open-webui/open-webui:main","env":[{"name":"OLLAMA_BASE_URL","value":"http://ollama:11434"}])j",
      R"j("image":"ghcr.io/otwld/ollama-webui:1")j",
      R"j("image":"r.io/ollama-operator:0.10","command":["/manager"])j",
      R"j("image":"nvcr.io/nvidia/cloud-native/k8s-nim-operator:v2.0")j",
      R"j("image":"kserve/kserve-controller:v0.15","command":["/manager"])j",
      R"j("image":"kserve/agent:v0.15")j",
      R"j("image":"kserve/storage-initializer:v0.15","args":["hf://meta-llama/x","/mnt/models"])j",
      R"j("image":"r.io/fraud-transform:5","args":["--predictor_host=fraud-predictor.shop"])j",
      R"j("image":"gcr.io/knative-releases/queue:1.15")j",
      R"j("image":"ghcr.io/kedacore/keda:2.16","args":["--leader-elect"])j",
      R"j("image":"quay.io/kuberay/operator:v1.3")j",
      R"j("image":"ghcr.io/berriai/litellm:main","args":["--config","/app/c.yaml"])j",
      R"j("image":"envoyproxy/envoy:v1.31","args":["-c","/etc/envoy.yaml"])j",
      R"j("image":"prom/prometheus:v3","args":["--web.listen-address=:9090"])j",
      R"j("image":"grafana/grafana:11")j",
      R"j("image":"redis:7","command":["redis-server"])j",
      R"j("image":"qdrant/qdrant:v1.12")j",
      R"j("image":"milvusdb/milvus:v2.5","command":["milvus","run","standalone"])j",
      R"j("image":"r.io/chat-frontend:2","env":[{"name":"OPENAI_BASE_URL","value":"http://vllm:8000/v1"}])j",
      R"j("image":"r.io/triton-client:1","command":["python","client.py"])j",
      R"j("image":"r.io/vllm-benchmark:1","command":["python","load.py","--url","http://vllm:8000"])j",
      R"j("image":"curlimages/curl:8","command":["sh","-c","until curl -s http://vllm:8000/health; do sleep 1; done"])j",
      R"j("image":"python:3.12","command":["huggingface-cli","download","meta-llama/x"])j",
      R"j("image":"r.io/sglang-router:0.1","args":["--worker-urls","http://a"])j",
      R"j("image":"r.io/tgi-gateway:1")j",
      R"j("image":"busybox:1.36","command":["sh","-c","echo vllm-is-up; sleep 1"])j",
  };
  return kContainers;
}

TEST(ModelServer, TellsServersFromAllElse) {
  int found = 0;
  int wrong = 0;
  for (const Shape& shape : serving()) {
    base::Arena arena;
    found += serves_models(framework(pod_of(shape.labels, shape.containers, arena))) ? 1 : 0;
  }
  for (const auto* list : {&other_gpu_pods(), &cpu_pods()}) {
    ASSERT_EQ(list->size(), 30U);
    for (const std::string& container : *list) {
      base::Arena arena;
      const std::string text = list == &cpu_pods() ? "{" + container + "}" : gpu(container);
      const bool serves = serves_models(framework(pod_of("", text, arena)));
      EXPECT_FALSE(serves) << container;
      wrong += serves ? 1 : 0;
    }
  }
  const int all = static_cast<int>(serving().size());
  EXPECT_GE(all, 40);
  EXPECT_EQ(found, all);
  std::printf("recognition: recall %d of %d, precision %d of %d\n", found, all, found,
              found + wrong);
}

TEST(ModelServer, IsEmptyWhereNothingServes) {
  base::Arena arena;
  const Pod pod = pod_of("", gpu(R"j("image":"r.io/x:1","args":["--model","a/b"])j"), arena);
  EXPECT_EQ(model_server_of(pod, "pytorch", arena).model, "");
  EXPECT_EQ(model_server_of(pod_from(R"j({"spec":{}})j", arena), "vllm", arena).container, "");
}

TEST(ModelServer, TakesNoValueThatIsNone) {
  struct Row {
    const char* why;
    const char* arguments;
  };
  for (const Row& row : {
           Row{"a flag at the end", R"j("--tensor-parallel-size")j"},
           Row{"a flag behind a flag", R"j("--tensor-parallel-size","--port","80")j"},
           Row{"no number", R"j("--tensor-parallel-size","two")j"},
           Row{"below one", R"j("--tensor-parallel-size","0")j"},
           Row{"more than any cluster has", R"j("--tensor-parallel-size","9000000000")j"},
           Row{"above 64 bits", R"j("--tensor-parallel-size","99999999999999999999")j"},
           Row{"a fraction above one", R"j("--gpu-memory-utilization","90")j"},
           Row{"a length without end", R"j("--max-model-len","1e400")j"},
           Row{"an unknown unit", R"j("--max-model-len","8q")j"},
           Row{"as long as the model allows", R"j("--max-model-len","-1")j"},
           Row{"another flag that begins alike", R"j("--tensor-parallel-size-max","8")j"},
       }) {
    base::Arena arena;
    const Pod pod = pod_of(
        "", gpu(R"j("image":"vllm/vllm-openai:1","args":[)j" + std::string(row.arguments) + "]"),
        arena);
    EXPECT_EQ(describe(pod, arena), "vllm") << row.why;
  }
}

std::string words_of(const std::string& container) {
  base::Arena arena;
  const auto json = parse_json("{" + container + "}", arena);
  EXPECT_TRUE(json.has_value()) << container;
  std::string out;
  for (const std::string_view word : command_words(json.value_or(Json()), arena)) {
    out += (out.empty() ? "" : "|") + std::string(word);
  }
  return out;
}

TEST(CommandWords, AreThoseOfTheKubeletAndTheShell) {
  struct Row {
    std::string container;
    std::string expected;
  };
  const std::string env = R"j(,"env":[{"name":"A","value":"1"},{"name":"B","value":"x$(A)"
},{"name":"A","value":"2"},{"name":"S","valueFrom":{}}])j";
  for (
      const Row& row : {
          Row{R"j("command":["a b","c"],"args":["d"])j", "a b|c|d"},
          Row{R"j("args":["$(A)","$(B)","$$(A)","$(S)","$(NONE)","$A"])j" + env,
              "2|x2|$(A)|$(S)|$(NONE)|$A"},
          Row{R"j("command":["sh","-c","run 'one word' \"two $A\" three\\ words >log 2>&1; next && last"])j" +
                  env,
              "sh|-c|run|one word|two 2|three words|>log|2>|;|1|;|next|;|last|;"},
          Row{R"j("command":["/bin/bash","-lc"],"args":["a ${A} ${NONE:-b} $NONE # c\nd","own"])j" +
                  env,
              "/bin/bash|-lc|a|2|b|$NONE|;|d|;|own"},
          Row{R"j("command":["python","-c","print('a b')"])j", "python|-c|print('a b')"},
          Row{R"j("command":["sh","-c","a 'open"])j", "sh|-c|a|open|;"},
          Row{R"j("command":["sh","-c","a ${open"])j", "sh|-c|a|${open|;"},
          Row{R"j("command":["sh","-c","a\\"])j", "sh|-c|a|;"},
          Row{R"j("command":[1,null,{}],"args":"x")j", ""},
      }) {
    EXPECT_EQ(words_of(row.container), row.expected) << row.container;
  }
}

TEST(CommandWords, EndWhereVariablesReferToEachOther) {
  EXPECT_EQ(
      words_of(
          R"j("args":["$(A)"],"env":[{"name":"A","value":"$(B)"},{"name":"B","value":"$(A)"}])j"),
      "$(A)");
}

// Each level of references would be a thousand times as long as the one before it.
TEST(CommandWords, StaySmallWhereVariablesMultiplyEachOther) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "$(A)";
  const std::string variables = R"(,"env":[{"name":"A","value":")" + many + R"("}])";
  EXPECT_LE(words_of(R"("args":[")" + many + R"("])" + variables).size(), 200'000U);
  std::string script;
  for (int i = 0; i < 2000; ++i) script += "$A ";
  EXPECT_LE(words_of(R"("command":["sh","-c",")" + script + R"("])" + variables).size(), 200'000U);
}

TEST(CommandWords, KeepAReferenceWithoutAnEnd) {
  EXPECT_EQ(words_of(R"j("args":["$(A)$(B$$(","$("],"env":[{"name":"A","value":"1"}])j"),
            "1$(B$(|$(");
}

}  // namespace
}  // namespace berth::kube
