#include "rules/cel/library.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace berth::rules::cel {
namespace {

std::uint32_t bit(Kind kind) {
  return std::uint32_t{1} << static_cast<unsigned>(kind);
}

}  // namespace

std::uint32_t kinds_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kParam:
    case TypeKind::kUnknown:
    case TypeKind::kOpaque:
      return ~std::uint32_t{0};
    case TypeKind::kNull:
      return bit(Kind::kNull);
    case TypeKind::kBool:
      return bit(Kind::kBool);
    case TypeKind::kInt:
      return bit(Kind::kInt);
    case TypeKind::kUint:
      return bit(Kind::kUint);
    case TypeKind::kDouble:
      return bit(Kind::kDouble);
    case TypeKind::kString:
      return bit(Kind::kString);
    case TypeKind::kBytes:
      return bit(Kind::kBytes);
    case TypeKind::kTimestamp:
      return bit(Kind::kTimestamp);
    case TypeKind::kDuration:
      return bit(Kind::kDuration);
    case TypeKind::kQuantity:
      return bit(Kind::kQuantity);
    case TypeKind::kList:
      return bit(Kind::kList);
    case TypeKind::kMap:
    case TypeKind::kShape:
      return bit(Kind::kMap);
    case TypeKind::kOptional:
      return bit(Kind::kOptional);
    case TypeKind::kType:
      return bit(Kind::kType);
    case TypeKind::kStruct:
      return bit(Kind::kStruct);
  }
  return 0;
}

const Library& Library::get() {
  static const Library library;
  return library;
}

Library::Library() {
  static TypePool pool;  // owns the types of all signatures
  const Environment environment;
  const std::array tables = {operator_rows(), conversion_rows(), text_rows(),     format_rows(),
                             list_rows(),     set_rows(),        optional_rows(), quantity_rows(),
                             regex_rows(),    time_rows(),       math_rows()};
  for (const auto table : tables) {
    for (const FunctionRow& row : table) {
      auto signature = environment.parse_signature(row.signature, pool);
      assert(signature.has_value());
      Overload overload{&row, std::move(*signature), {}};
      for (const Type* parameter : overload.signature.parameters) {
        overload.kinds.push_back(kinds_of(*parameter));
      }
      // The key views the row's text, which is static.
      const auto at = row.signature.find(overload.signature.name);
      by_name_[row.signature.substr(at, overload.signature.name.size())].push_back(
          std::move(overload));
    }
  }
}

std::span<const Overload> Library::find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? std::span<const Overload>{} : std::span(it->second);
}

std::vector<std::string_view> Library::names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, overloads] : by_name_) {
    if (name != "not") out.push_back(name);  // only an operator
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string_view Library::unavailable(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kNames = {{
      {"ip", "network addresses"},
      {"isIP", "network addresses"},
      {"ip.isCanonical", "network addresses"},
      {"cidr", "network addresses"},
      {"isCIDR", "network addresses"},
      {"url", "URLs"},
      {"isURL", "URLs"},
      {"semver", "semantic versions"},
      {"isSemver", "semantic versions"},
      {"authorizer", "authorization checks"},
      {"Object", "building objects"},
      {"JSONPatch", "building patches"},
      {"jsonpatch.escapeKey", "building patches"},
      {"format.named", "named formats"},
      {"now", "the time of day"},
      {"cel.block", "blocks of an optimiser"},
  }};
  for (const auto& [candidate, what] : kNames) {
    if (candidate == name) return what;
  }
  return {};
}

}  // namespace berth::rules::cel
