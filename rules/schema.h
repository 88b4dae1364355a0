// The one table of keys: which keys each kind of object in our files has, what their values look
// like, and what they mean. The loader, `berth schema` and the reference in docs/rules.md all read
// it, so they cannot drift apart. Static data, safe from every thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::rules {

enum class SchemaKind : std::uint8_t { kRuleSet, kRuleTest, kConfig };

/// What one value looks like.
enum class Form : std::uint8_t {
  kNothing,  ///< no value: the row has no second form
  kText,
  kExpression,  ///< CEL
  kTemplate,    ///< text in which ${...} holds CEL
  kInteger,     ///< low to high
  kNumber,      ///< low to high
  kBool,
  kWord,    ///< one of the words in `of`, separated by '|'
  kObject,  ///< a mapping with the keys of the object `of`
  kAny,     ///< anything, passed on as it is
  kScalar,  ///< text, number or bool
  // texts with a grammar of their own: rules/forms
  kSetName,
  kNamespaceGlob,
  kLabelKey,
  kLabelValue,
  kLabelChoice,  ///< a label value, or "*"
  kAnnotationKey,
  kEnvName,
  kVariableName,
  kObjectName,
  kSpecPath,
  kGpus,
  kPercent,
  kQuantity,
  kDuration,
  kParallelism,
  kTaint,
  kLevel,
  kProduct,
  kProfile,
  kVendor,
  kOwnerKind,
  kFramework,
};

enum class Shape : std::uint8_t {
  kOne,
  kList,
  kOneOrList,
  kMap,           ///< key -> value
  kMapOneOrList,  ///< key -> value or list of values
};

struct ValueType {
  Form form = Form::kNothing;
  Shape shape = Shape::kOne;
  std::string_view of = {};      ///< words, or the name of an object
  std::int64_t low = 0;          ///< of numbers; least number of items of a list
  std::int64_t high = 0;         ///< of numbers
  Form key = Form::kNothing;     ///< of the keys of a map
  Form constant = Form::kText;   ///< what a template without ${...} must be
  std::string_view cel = "dyn";  ///< type of an expression that is the whole template
};

enum class Need : std::uint8_t { kOptional, kRequired };

struct Key {
  std::string_view name;
  ValueType type;
  ValueType other;  ///< a second form that the value may have
  Need need = Need::kOptional;
  std::string_view fallback;  ///< the default, as written; empty where there is none
  std::string_view help;      ///< one sentence
  std::string_view since = "v1alpha1";
};

struct ObjectType {
  std::string_view name;   ///< "match"
  std::string_view help;   ///< one sentence
  std::string_view named;  ///< "rule": its `name` is said in complaints; else empty
  std::vector<Key> keys;
};

/// All objects of a file kind. The first is the file itself.
std::span<const ObjectType> schema(SchemaKind kind);

/// The object of a file kind by name. Requires: there is one.
const ObjectType& object_type(SchemaKind kind, std::string_view name);

/// The key of an object, or nullptr.
const Key* find_key(const ObjectType& object, std::string_view name);

/// The words of a kWord type.
std::vector<std::string_view> words_of(const ValueType& type);

/// What a value should be, for complaints: "a whole number from 0 to 1000".
std::string expectation(const ValueType& type);
/// The same over both forms of a key: "a text such as 25% or a mapping".
std::string expectation(const Key& key);

/// The JSON Schema (draft-07) that editors take.
std::string json_schema(SchemaKind kind);

}  // namespace berth::rules
