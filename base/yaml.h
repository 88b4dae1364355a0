// YAML with positions, and the only door to yaml-cpp. Documents become plain trees; what people get
// wrong (duplicate keys, tabs, aliases, text behind a document) is a problem with its place. Never
// throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.h"
#include "base/source_text.h"

namespace berth::base {

enum class YamlKind : std::uint8_t { kNull, kScalar, kSequence, kMapping };

struct YamlMember;

/// A node of a document. Scalars keep their text and whether it was plain; typing is the reader's
/// matter.
struct YamlNode {
  YamlKind kind = YamlKind::kNull;
  bool plain = true;       ///< written without quotes and not as a block scalar
  bool block = false;      ///< block scalar: its text starts on a later line
  std::size_t offset = 0;  ///< of the first character in the source
  std::string text;        ///< of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlMember> members;

  bool is_null() const { return kind == YamlKind::kNull; }
  bool is_scalar() const { return kind == YamlKind::kScalar; }
  bool is_sequence() const { return kind == YamlKind::kSequence; }
  bool is_mapping() const { return kind == YamlKind::kMapping; }
  /// Value of a key, or nullptr.
  const YamlNode* find(std::string_view key) const;
};

struct YamlMember {
  std::string key;
  std::size_t key_offset = 0;
  YamlNode value;
};

struct YamlLimits {
  std::size_t nodes = 1'000'000;
  std::size_t depth = 100;
};

/// All documents of the text. Problems are added with code "syntax", "duplicate-key", "alias" or
/// "too-large"; a document that has one may be missing from the result.
std::vector<YamlNode> parse_yaml(const SourceText& source, Problems& problems,
                                 const YamlLimits& limits = {});

}  // namespace berth::base
