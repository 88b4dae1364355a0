#include "rules/cel/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "rules/cel/time.h"
#include "rules/cel/type.h"
#include "rules/cel/utf8.h"

namespace berth::rules::cel {
namespace {

constexpr std::size_t kTextLimit = 64 * 1024;

// Shortest text of a quantity in the arena; kube's own form, cut to no heap only where it is short.
void append_quantity(TextBuilder& out, const kube::Quantity& quantity) {
  const auto whole = quantity.whole();
  const bool binary = whole.has_value() && *whole != 0 && *whole % 1024 == 0;
  out.append(
      quantity.to_text(binary ? kube::Quantity::Form::kBinary : kube::Quantity::Form::kDecimal));
}

void append_list(TextBuilder& out, Value list, Style style) {
  out.append('[');
  for (std::size_t i = 0; i < list.size() && !out.full(); ++i) {
    if (i > 0) out.append(", ");
    append_value(out, list.item(i), style);
  }
  out.append(']');
}

void append_map(TextBuilder& out, Value map, Style style) {
  out.append('{');
  for (std::size_t i = 0; i < map.size() && !out.full(); ++i) {
    if (i > 0) out.append(", ");
    append_value(out, map.key_at(i), style);
    out.append(": ");
    append_value(out, map.value_at(i), style);
  }
  out.append('}');
}

void append_call(TextBuilder& out, std::string_view name, std::string_view argument, Style style) {
  if (style == Style::kMessage) {
    out.append(argument);
    return;
  }
  out.append(name);
  out.append('(');
  append_quoted(out, argument);
  out.append(')');
}

void append_scalar(TextBuilder& out, Value value, Style style) {
  switch (value.kind()) {
    case Kind::kNull:
      out.append("null");
      return;
    case Kind::kBool:
      out.append(value.as_bool() ? "true" : "false");
      return;
    case Kind::kInt:
      out.append_int(value.as_int());
      return;
    case Kind::kUint:
      out.append_uint(value.as_uint());
      if (style == Style::kSource) out.append('u');
      return;
    case Kind::kDouble:
      out.append_double(value.as_double());
      return;
    case Kind::kString:
      if (style == Style::kSource) return append_quoted(out, value.text());
      out.append(value.text());
      return;
    case Kind::kBytes:
      if (style == Style::kMessage) return append_base64(out, value.text());
      out.append('b');
      return append_quoted(out, value.text());
    case Kind::kType:
      out.append(value.text());
      return;
    case Kind::kError:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kTimestamp:
    case Kind::kDuration:
    case Kind::kQuantity:
    case Kind::kOptional:
    case Kind::kStruct:
      return;
  }
}

void append_error(TextBuilder& out, const Failure& failure, Style style) {
  if (style == Style::kMessage) return out.append('?');
  out.append(failure.text);
  if (failure.name.empty()) return;
  out.append(" '");
  out.append(failure.name);
  out.append('\'');
}

}  // namespace

void TextBuilder::append(std::string_view text) {
  if (size_ + text.size() > limit_) {
    full_ = true;
    text = text.substr(0, limit_ - size_);
  }
  if (size_ + text.size() > room_.size()) {
    const auto wanted = std::max<std::size_t>({64, 2 * room_.size(), size_ + text.size()});
    const std::span<char> larger(static_cast<char*>(arena_.allocate(wanted, 1)), wanted);
    std::copy_n(room_.data(), size_, larger.data());
    room_ = larger;
  }
  text.copy(room_.data() + size_, text.size());
  size_ += text.size();
}

void TextBuilder::append_int(std::int64_t value) {
  std::array<char, 24> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  append({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

void TextBuilder::append_uint(std::uint64_t value, int base) {
  std::array<char, 72> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base).ptr;
  append({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

void TextBuilder::append_double(double value) {
  if (std::isnan(value)) return append("NaN");
  if (std::isinf(value)) return append(value > 0 ? "+Inf" : "-Inf");
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  append({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

void append_value(TextBuilder& out, Value value, Style style) {
  switch (value.kind()) {
    case Kind::kError:
      return append_error(out, value.failure(), style);
    case Kind::kList:
      return append_list(out, value, style);
    case Kind::kMap:
      return append_map(out, value, style);
    case Kind::kTimestamp:
      return append_call(out, "timestamp", timestamp_text(value.as_timestamp()).view(), style);
    case Kind::kDuration:
      return append_call(out, "duration", duration_text(value.as_duration()).view(), style);
    case Kind::kQuantity: {
      if (style == Style::kMessage) return append_quantity(out, value.as_quantity());
      out.append("quantity('");
      append_quantity(out, value.as_quantity());
      return out.append("')");
    }
    case Kind::kOptional:
      if (!value.has_value()) return out.append("optional.none()");
      out.append("optional.of(");
      append_value(out, value.optional_value(), style);
      return out.append(')');
    case Kind::kStruct:
      return out.append(value.as_struct().type->name);
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType:
      return append_scalar(out, value, style);
  }
}

void append_quoted(TextBuilder& out, std::string_view text) {
  static constexpr std::string_view kFrom = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kTo = "abfnrtv\\\"";
  out.append('"');
  while (!text.empty()) {
    if (const auto escape = kFrom.find(text[0]); escape != std::string_view::npos) {
      out.append('\\');
      out.append(kTo[escape]);
      text.remove_prefix(1);
      continue;
    }
    const auto length = utf8_length(text);
    // What is no UTF-8 shows as the replacement character.
    out.append(length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out.append('"');
}

void append_base64(TextBuilder& out, std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size() && !out.full(); i += 3) {
    const auto left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.append(k > left ? '=' : kDigits[(group >> (18 - 6 * k)) & 63U]);
    }
  }
}

std::size_t text_limit(const Frame& frame) {
  return frame.units_left() <= 0 ? 0 : static_cast<std::size_t>(frame.units_left()) * 64;
}

Value built_text(Frame& frame, const TextBuilder& builder) {
  const auto units = static_cast<std::int64_t>(builder.view().size() / 64);
  if (builder.full() || !frame.spend(units)) {
    frame.spend(frame.units_left() + 1);
    return fail(kCostLimit);
  }
  return Value::string(builder.view());
}

std::string to_text(Value value) {
  base::Arena arena(256);
  TextBuilder out(arena, kTextLimit);
  append_value(out, value, Style::kMessage);
  return std::string(out.view());
}

std::string to_source(Value value) {
  base::Arena arena(256);
  TextBuilder out(arena, kTextLimit);
  append_value(out, value, Style::kSource);
  return std::string(out.view());
}

}  // namespace berth::rules::cel
