#include "rules/cel/environment.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "rules/cel/program.h"

namespace berth::rules::cel {
namespace {

struct SimpleName {
  std::string_view name;
  TypeKind kind;
};

// Names of types without parameters, with those of protobuf's well-known wrappers.
constexpr std::array<SimpleName, 28> kSimpleNames = {{
    {"dyn", TypeKind::kDyn},
    {"null", TypeKind::kNull},
    {"null_type", TypeKind::kNull},
    {"bool", TypeKind::kBool},
    {"int", TypeKind::kInt},
    {"uint", TypeKind::kUint},
    {"double", TypeKind::kDouble},
    {"string", TypeKind::kString},
    {"bytes", TypeKind::kBytes},
    {"timestamp", TypeKind::kTimestamp},
    {"duration", TypeKind::kDuration},
    {"quantity", TypeKind::kQuantity},
    {"type", TypeKind::kType},
    {"google.protobuf.Timestamp", TypeKind::kTimestamp},
    {"google.protobuf.Duration", TypeKind::kDuration},
    {"google.protobuf.Any", TypeKind::kDyn},
    {"google.protobuf.Value", TypeKind::kDyn},
    {"google.protobuf.BoolValue", TypeKind::kDyn},
    {"google.protobuf.BytesValue", TypeKind::kDyn},
    {"google.protobuf.DoubleValue", TypeKind::kDyn},
    {"google.protobuf.FloatValue", TypeKind::kDyn},
    {"google.protobuf.Int32Value", TypeKind::kDyn},
    {"google.protobuf.Int64Value", TypeKind::kDyn},
    {"google.protobuf.StringValue", TypeKind::kDyn},
    {"google.protobuf.UInt32Value", TypeKind::kDyn},
    {"google.protobuf.UInt64Value", TypeKind::kDyn},
    {"google.protobuf.Struct", TypeKind::kDyn},
    {"google.protobuf.ListValue", TypeKind::kDyn},
}};

bool in_type_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

}  // namespace

// Reads type texts by recursive descent.
class TypeReader {
 public:
  enum class Softness { kHard, kSoft };  // soft: everything from an open shape
  TypeReader(const Environment& environment, TypePool& pool, std::string_view text,
             Softness softness)
      : environment_(environment), pool_(pool), text_(text), softness_(softness) {}

  const Type* read();
  bool at_end() const { return at_ == text_.size(); }

 private:
  std::string_view name();
  bool take(char c);
  const Type* named(std::string_view name);
  const Type* with_parameters(std::string_view name, std::vector<const Type*> parameters);
  const Type* soften(Type type);

  const Environment& environment_;
  TypePool& pool_;
  std::string_view text_;
  Softness softness_;
  std::size_t at_ = 0;
};

bool TypeReader::take(char c) {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view TypeReader::name() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  const auto begin = at_;
  while (at_ < text_.size() && in_type_name(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

const Type* TypeReader::read() {
  const auto word = name();
  if (word.empty()) return nullptr;
  if (!take('(')) return named(word);
  std::vector<const Type*> parameters;
  do {
    const Type* parameter = read();
    if (parameter == nullptr) return nullptr;
    parameters.push_back(parameter);
  } while (take(','));
  return take(')') ? with_parameters(word, std::move(parameters)) : nullptr;
}

const Type* TypeReader::soften(Type type) {
  type.soft = softness_ == Softness::kSoft;
  return pool_.add(type);
}

const Type* TypeReader::named(std::string_view word) {
  for (const auto& [simple, kind] : kSimpleNames) {
    if (simple != word) continue;
    if (softness_ == Softness::kHard) return TypePool::simple(kind);
    return soften(*TypePool::simple(kind));
  }
  Type type;
  if (word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z') {
    type.kind = TypeKind::kParam;
    type.name = pool_.keep(word);
    return pool_.add(type);
  }
  if (const auto* structure = environment_.find_struct(word); structure != nullptr) {
    type.kind = TypeKind::kStruct;
    type.structure = structure->table;
    return pool_.add(type);
  }
  if (const auto* shape = environment_.find_shape(word); shape != nullptr) {
    type.kind = TypeKind::kShape;
    type.shape = shape->table;
    type.soft = shape->table->openness == Openness::kOpen;
    return pool_.add(type);
  }
  for (const auto& entry : environment_.words_) {
    if (entry->name != word) continue;
    type.kind = TypeKind::kString;
    type.name = entry->name;
    type.words = entry.get();
    return pool_.add(type);
  }
  return nullptr;
}

const Type* TypeReader::with_parameters(std::string_view word,
                                        std::vector<const Type*> parameters) {
  const auto count = parameters.size();
  TypeKind kind = TypeKind::kOpaque;
  std::size_t wanted = count;
  if (word == "list") {
    kind = TypeKind::kList;
    wanted = 1;
  } else if (word == "map") {
    kind = TypeKind::kMap;
    wanted = 2;
  } else if (word == "optional" || word == "optional_type") {
    kind = TypeKind::kOptional;
    wanted = 1;
  } else if (word == "type") {
    kind = TypeKind::kType;
    wanted = 1;
  }
  if (count != wanted) return nullptr;
  const auto name = kind == TypeKind::kOpaque ? pool_.keep(word) : std::string_view();
  const Type* made = pool_.with(kind, std::move(parameters), name);
  return softness_ == Softness::kSoft ? soften(*made) : made;
}

Environment::Environment() : pool_(std::make_shared<TypePool>()) {}

const Environment::Struct* Environment::find_struct(std::string_view name) const {
  for (const auto& entry : structs_) {
    if (entry->table->name == name) return entry.get();
  }
  return nullptr;
}

const Environment::Shape* Environment::find_shape(std::string_view name) const {
  for (const auto& entry : shapes_) {
    if (entry->table->name == name) return entry.get();
  }
  return nullptr;
}

void Environment::add(const StructType& type) {
  Struct entry{&type, {}, {}};
  for (const auto& field : type.fields) {
    entry.fields.push_back(parse_type(field.type, *pool_));
    assert(entry.fields.back() != nullptr);
  }
  for (const auto& method : type.methods) {
    Signature signature{std::string(method.name), true, {}, parse_type(method.result, *pool_)};
    Type receiver;
    receiver.kind = TypeKind::kStruct;
    receiver.structure = &type;
    signature.parameters.push_back(pool_->add(receiver));
    for (const auto parameter : method.parameters) {
      signature.parameters.push_back(parse_type(parameter, *pool_));
      assert(signature.parameters.back() != nullptr);
    }
    assert(signature.result != nullptr);
    entry.methods.push_back(std::move(signature));
  }
  structs_.push_back(std::make_shared<const Struct>(std::move(entry)));
}

void Environment::add(std::span<const JsonShape> shapes) {
  const auto first = shapes_.size();
  for (const auto& shape : shapes) shapes_.push_back(std::make_shared<Shape>(Shape{&shape, {}}));
  for (auto i = first; i < shapes_.size(); ++i) {
    const auto softness = shapes_[i]->table->openness == Openness::kOpen
                              ? TypeReader::Softness::kSoft
                              : TypeReader::Softness::kHard;
    for (const auto& field : shapes_[i]->table->fields) {
      shapes_[i]->fields.push_back(TypeReader(*this, *pool_, field.type, softness).read());
      assert(shapes_[i]->fields.back() != nullptr);
    }
  }
}

void Environment::add(WordType words) {
  words_.push_back(std::make_shared<const WordType>(std::move(words)));
}

const Type* Environment::type_of(const StructType& type, const FieldRow& field) const {
  return find_struct(type.name)->fields[static_cast<std::size_t>(&field - type.fields.data())];
}

const Environment::Signature& Environment::signature_of(const StructType& type,
                                                        const MethodRow& method) const {
  return find_struct(type.name)->methods[static_cast<std::size_t>(&method - type.methods.data())];
}

const Type* Environment::type_of(const JsonShape& shape, const JsonField& field) const {
  return find_shape(shape.name)->fields[static_cast<std::size_t>(&field - shape.fields.data())];
}

int Environment::declare(std::string_view name, std::string_view type) {
  assert(variables_.size() < static_cast<std::size_t>(kMaxVariables));
  const Type* parsed = parse_type(type, *pool_);
  assert(parsed != nullptr);
  const int slot = static_cast<int>(variables_.size());
  variables_.push_back({std::string(name), parsed, slot});
  return slot;
}

void Environment::declare_computed(std::string_view name, std::shared_ptr<const Program> program,
                                   int memo) {
  assert(computed(name) == nullptr);
  const Type* type = parse_type(program->result_type(), *pool_);
  computed_.push_back({std::string(name), std::move(program), memo,
                       type == nullptr ? TypePool::simple(TypeKind::kDyn) : type});
}

void Environment::declare_function(std::string_view signature) {
  auto parsed = parse_signature(signature, *pool_);
  assert(parsed.has_value());
  functions_.push_back(std::move(*parsed));
}

const Environment::Variable* Environment::variable(std::string_view name) const {
  const auto it = std::find_if(variables_.begin(), variables_.end(),
                               [&](const Variable& v) { return v.name == name; });
  return it == variables_.end() ? nullptr : &*it;
}

const Environment::Computed* Environment::computed(std::string_view name) const {
  const auto it = std::find_if(computed_.begin(), computed_.end(),
                               [&](const Computed& c) { return c.name == name; });
  return it == computed_.end() ? nullptr : &*it;
}

const Type* Environment::parse_type(std::string_view text, TypePool& pool) const {
  TypeReader reader(*this, pool, text, TypeReader::Softness::kHard);
  const Type* type = reader.read();
  return reader.at_end() ? type : nullptr;
}

std::optional<Environment::Signature> Environment::parse_signature(std::string_view text,
                                                                   TypePool& pool) const {
  const auto arrow = text.rfind(" -> ");
  if (arrow == std::string_view::npos || arrow == 0 || text[arrow - 1] != ')') return std::nullopt;
  // The parameters are the last bracket before the arrow; what is before it is "name" or
  // "type.name".
  std::size_t open = arrow - 1;
  for (int depth = 1; depth > 0;) {
    if (open == 0) return std::nullopt;
    --open;
    depth += text[open] == ')' ? 1 : text[open] == '(' ? -1 : 0;
  }
  const auto head = text.substr(0, open);
  Signature out;
  const auto dot = head.rfind('.');
  const Type* receiver =
      dot == std::string_view::npos ? nullptr : parse_type(head.substr(0, dot), pool);
  out.receiver = receiver != nullptr;
  out.name = std::string(out.receiver ? head.substr(dot + 1) : head);
  if (out.receiver) out.parameters.push_back(receiver);
  if (arrow - 1 > open + 1) {
    const std::string inside = "tuple(" + std::string(text.substr(open + 1, arrow - open - 1));
    const Type* parameters = parse_type(inside, pool);
    if (parameters == nullptr) return std::nullopt;
    out.parameters.insert(out.parameters.end(), parameters->parameters.begin(),
                          parameters->parameters.end());
  }
  out.result = parse_type(text.substr(arrow + 4), pool);
  if (out.result == nullptr) return std::nullopt;
  return out;
}

}  // namespace berth::rules::cel
