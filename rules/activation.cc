#include "rules/activation.h"

#include <algorithm>

namespace berth::rules {
namespace {

using cel::Failure;
using cel::Value;

const Facts& facts_of(const void* object) {
  return *static_cast<const Facts*>(object);
}

template <std::string_view Facts::*kField>
Value text_field(const void* object, base::Arena&) {
  return Value::string(facts_of(object).*kField);
}

template <std::int64_t Facts::*kField>
Value int_field(const void* object, base::Arena&) {
  return Value::integer(facts_of(object).*kField);
}

template <bool Facts::*kField>
Value bool_field(const void* object, base::Arena&) {
  return Value::boolean(facts_of(object).*kField);
}

template <std::string_view kube::ModelServer::*kField>
Value server_text(const void* object, base::Arena&) {
  return Value::string(facts_of(object).server.*kField);
}

template <std::int64_t kube::ModelServer::*kField, std::int64_t kUnstated>
Value server_int(const void* object, base::Arena&) {
  const std::int64_t stated = facts_of(object).server.*kField;
  return Value::integer(stated > 0 ? stated : kUnstated);
}

Value gpu_memory_fraction(const void* object, base::Arena&) {
  return Value::real(facts_of(object).server.gpu_memory_fraction);
}

Value model_memory(const void* object, base::Arena& arena) {
  const auto& memory = facts_of(object).model_memory;
  return Value::quantity(arena.make<kube::Quantity>(memory ? memory->total() : kube::Quantity()));
}

// A map that is never absent: null and what is no object read as empty.
template <kube::Json Facts::*kField>
Value map_field(const void* object, base::Arena&) {
  const kube::Json json = facts_of(object).*kField;
  return Value::json(json.is_object() ? json : kube::Json::object({}));
}

Value gpu_memory(const void* object, base::Arena&) {
  return Value::quantity(&facts_of(object).gpu_memory);
}

Value gpu_memory_gib(const void* object, base::Arena&) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  return Value::real(facts_of(object).gpu_memory.as_double() / kGib);
}

// ------------------------------------------------------------------ topology

// A domain in the arena: DomainRoom without its vector.
struct DomainValue {
  std::string_view name;
  std::int64_t free = 0;
  std::int64_t total = 0;
  std::int64_t nodes = 0;
  bool fits = false;
  std::span<const Value> products;
};

const TopologyView& view_of(const void* object) {
  return *static_cast<const TopologyView*>(object);
}

constexpr Failure kNotFresh{"the picture of the cluster is out of date", "topology"};
constexpr Failure kNoNodes{"no nodes are known", "topology"};
constexpr Failure kNoLevel{"no such level", "topology"};

// The failure of every function while the picture must not be used, or nullptr.
const Failure* not_usable(const TopologyView& view) {
  if (!view.snapshot().fresh()) return &kNotFresh;
  if (!view.snapshot().knows(topology::Kind::kNodes)) return &kNoNodes;
  return nullptr;
}

template <typename Answer>
Value answered(const void* object, Answer answer) {
  const TopologyView& view = view_of(object);
  const Failure* failure = not_usable(view);
  return failure != nullptr ? Value::error(failure) : answer(view);
}

template <typename Answer>
Value answered_at(const void* object, Value level_name, Answer answer) {
  return answered(object, [&](const TopologyView& view) {
    const auto level = view.snapshot().level_index(level_name.text());
    return level ? answer(view, *level) : Value::error(&kNoLevel);
  });
}

Value fresh(const void* object, base::Arena&) {
  return Value::boolean(view_of(object).usable());
}

Value fits(const void* object, std::span<const Value> arguments, base::Arena&) {
  return answered_at(object, arguments[0], [](const TopologyView& view, std::size_t level) {
    return Value::boolean(view.capacity().fits(level));
  });
}

Value fits_product(const void* object, std::span<const Value> arguments, base::Arena&) {
  return answered_at(object, arguments[0], [&](const TopologyView& view, std::size_t level) {
    return Value::boolean(view.capacity().fits(level, arguments[1].text()));
  });
}

Value free_gpus(const void* object, std::span<const Value>, base::Arena&) {
  return answered(object,
                  [](const TopologyView& view) { return Value::integer(view.capacity().free()); });
}

Value free_of_product(const void* object, std::span<const Value> arguments, base::Arena&) {
  return answered(object, [&](const TopologyView& view) {
    return Value::integer(view.capacity().free(arguments[0].text()));
  });
}

Value largest_free(const void* object, std::span<const Value> arguments, base::Arena&) {
  return answered_at(object, arguments[0], [](const TopologyView& view, std::size_t level) {
    return Value::integer(view.capacity().largest_free(level));
  });
}

std::span<Value> texts(std::span<const std::string_view> from, base::Arena& arena) {
  const auto to = arena.make_array<Value>(from.size());
  std::transform(from.begin(), from.end(), to.begin(),
                 [](std::string_view text) { return Value::string(text); });
  return to;
}

Value domains(const void* object, std::span<const Value> arguments, base::Arena& arena) {
  return answered_at(object, arguments[0], [&](const TopologyView& view, std::size_t level) {
    const auto rooms = view.capacity().domains(level);
    const auto values = arena.make_array<Value>(rooms.size());
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      const topology::DomainRoom& room = rooms[i];
      const auto* domain = arena.make<DomainValue>(room.name, room.free, room.total, room.nodes,
                                                   room.fits_now, texts(room.products, arena));
      values[i] = Value::structure(arena, domain_type(), domain);
    }
    return Value::list(values);
  });
}

Value mig_free(const void* object, std::span<const Value> arguments, base::Arena&) {
  return answered(object, [&](const TopologyView& view) {
    return Value::integer(view.capacity().mig_free(arguments[0].text()));
  });
}

Value mig_profiles(const void* object, std::span<const Value>, base::Arena& arena) {
  return answered(object, [&](const TopologyView& view) {
    return Value::list(texts(view.capacity().mig_profiles(), arena));
  });
}

Value products(const void* object, std::span<const Value>, base::Arena& arena) {
  return answered(object, [&](const TopologyView& view) {
    return Value::list(texts(view.capacity().products(), arena));
  });
}

const DomainValue& domain_of(const void* object) {
  return *static_cast<const DomainValue*>(object);
}

constexpr int slot(ConditionVariable variable) {
  return static_cast<int>(variable);
}

}  // namespace

const cel::StructType& workload_type() {
  static const cel::StructType kType{
      "Workload",
      {{"kind", "string", text_field<&Facts::kind>},
       {"name", "string", text_field<&Facts::name>},
       {"namespace", "string", text_field<&Facts::namespace_name>},
       {"uid", "string", text_field<&Facts::uid>},
       {"intent", "string", text_field<&Facts::intent>},
       {"framework", "string", text_field<&Facts::framework>},
       {"role", "string", text_field<&Facts::role>},
       {"team", "string", text_field<&Facts::team>},
       {"vendor", "string", text_field<&Facts::vendor>},
       {"gpuProduct", "string", text_field<&Facts::gpu_product>},
       {"sharing", "string", text_field<&Facts::sharing>},
       {"gpus", "int", int_field<&Facts::gpus>},
       {"pods", "int", int_field<&Facts::pods>},
       {"totalGpus", "int", int_field<&Facts::total_gpus>},
       {"model", "string", server_text<&kube::ModelServer::model>},
       {"servedModel", "string", server_text<&kube::ModelServer::served_model>},
       {"quantization", "string", server_text<&kube::ModelServer::quantization>},
       {"tensorParallel", "int", server_int<&kube::ModelServer::tensor_parallel, 1>},
       {"pipelineParallel", "int", server_int<&kube::ModelServer::pipeline_parallel, 1>},
       {"maxModelLen", "int", server_int<&kube::ModelServer::max_model_len, 0>},
       {"gpuMemoryUtilization", "double", gpu_memory_fraction},
       {"modelMemory", "quantity", model_memory},
       {"gpuMemory", "quantity", gpu_memory},
       {"gpuMemoryGiB", "double", gpu_memory_gib},
       {"shared", "bool", bool_field<&Facts::shared>},
       {"labels", "map(string, string)", map_field<&Facts::labels>},
       {"annotations", "map(string, string)", map_field<&Facts::annotations>}},
      {}};
  return kType;
}

const cel::StructType& topology_type() {
  static const cel::StructType kType{"Topology",
                                     {{"fresh", "bool", fresh}},
                                     {{"fits", {"level"}, "bool", fits, 20},
                                      {"fits", {"level", "product"}, "bool", fits_product, 20},
                                      {"free", {}, "int", free_gpus, 20},
                                      {"free", {"product"}, "int", free_of_product, 20},
                                      {"largestFree", {"level"}, "int", largest_free, 20},
                                      {"domains", {"level"}, "list(Domain)", domains, 200},
                                      {"migFree", {"profile"}, "int", mig_free, 20},
                                      {"migProfiles", {}, "list(string)", mig_profiles, 50},
                                      {"products", {}, "list(string)", products, 50}}};
  return kType;
}

const cel::StructType& domain_type() {
  static const cel::StructType kType{
      "Domain",
      {{"name", "string",
        [](const void* object, base::Arena&) { return Value::string(domain_of(object).name); }},
       {"free", "int",
        [](const void* object, base::Arena&) { return Value::integer(domain_of(object).free); }},
       {"total", "int",
        [](const void* object, base::Arena&) { return Value::integer(domain_of(object).total); }},
       {"nodes", "int",
        [](const void* object, base::Arena&) { return Value::integer(domain_of(object).nodes); }},
       {"fits", "bool",
        [](const void* object, base::Arena&) { return Value::boolean(domain_of(object).fits); }},
       {"products", "list(string)",
        [](const void* object, base::Arena&) { return Value::list(domain_of(object).products); }}},
      {}};
  return kType;
}

const topology::Capacity& TopologyView::capacity() const {
  if (!capacity_) capacity_.emplace(snapshot_, demand_);
  return *capacity_;
}

void bind(cel::Activation& activation, const ActivationSources& sources) {
  activation.bind(slot(ConditionVariable::kObject), sources.object);
  activation.bind(slot(ConditionVariable::kOldObject), sources.request.json["oldObject"]);
  activation.bind(slot(ConditionVariable::kRequest), sources.request.json);
  activation.bind(slot(ConditionVariable::kNamespaceObject), sources.facts.namespace_object);
  activation.bind(slot(ConditionVariable::kWorkload), workload_type(), &sources.facts);
  activation.bind(slot(ConditionVariable::kTopology), topology_type(), &sources.topology);
}

}  // namespace berth::rules
