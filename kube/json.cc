#include "kube/json.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>

#define RAPIDJSON_ASSERT(x) assert(x)
#include <rapidjson/writer.h>

#include "base/plain_text.h"

namespace berth::kube {
namespace {

// Collects what is printed, and hands it to the text in large pieces. Also where RapidJSON writes
// strings with escapes.
class Printer {
 public:
  using Ch = char;
  explicit Printer(std::string& out) : out_(out) {}
  ~Printer() { flush(); }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  void Put(char c) { put(c); }
  void Flush() {}

  void put(char c) {
    if (used_ == sizeof held_) flush();
    held_[used_++] = c;
  }

  void put(std::string_view text) {
    if (text.size() > sizeof held_ - used_) flush();
    if (text.size() > sizeof held_) {
      out_.append(text);
      return;
    }
    if (text.empty()) return;  // whose place may be nowhere
    std::memcpy(held_ + used_, text.data(), text.size());
    used_ += text.size();
  }

  void put_string(std::string_view text) {
    if (base::is_plain_text(text)) return put_quoted(text);
    rapidjson::Writer<Printer> writer(*this);
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }

  void put_value(Json value);

 private:
  // Requires: nothing in the text needs an escape.
  void put_quoted(std::string_view text) {
    const std::size_t size = text.size() + 2;
    if (size > sizeof held_ - used_) flush();
    if (size > sizeof held_) {
      out_.append("\"").append(text).append("\"");
      return;
    }
    char* to = held_ + used_;
    *to++ = '"';
    if (!text.empty()) std::memcpy(to, text.data(), text.size());  // an empty one may be nowhere
    to[text.size()] = '"';
    used_ += size;
  }

  void put_items(std::span<const Json> items);
  void put_members(std::span<const JsonMember> members);

  void flush() {
    out_.append(held_, used_);
    used_ = 0;
  }

  std::string& out_;
  std::size_t used_ = 0;
  char held_[2048];
};

void Printer::put_items(std::span<const Json> items) {
  put('[');
  for (const Json& item : items) {
    if (&item != items.data()) put(',');
    put_value(item);
  }
  put(']');
}

void Printer::put_members(std::span<const JsonMember> members) {
  put('{');
  for (const JsonMember& member : members) {
    if (&member != members.data()) put(',');
    put_string(member.key);
    put(':');
    put_value(member.value);
  }
  put('}');
}

void Printer::put_value(Json value) {
  switch (value.type()) {
    case JsonType::kNull:
      return put("null");
    case JsonType::kBool:
      return put(value.bool_or(false) ? "true" : "false");
    case JsonType::kNumber:
      return put(value.number_text());
    case JsonType::kString:
      return put_string(value.string_or_empty());
    case JsonType::kArray:
      return put_items(value.items());
    case JsonType::kObject:
      return put_members(value.members());
  }
}

// "12.50e1" without its trailing zeros, as digits and a power of ten, so that numbers compare by
// value.
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
  bool negative = false;
  bool operator==(const Decimal&) const = default;
};

Decimal to_decimal(std::string_view text) {
  Decimal out;
  std::size_t i = 0;
  if (i < text.size() && text[i] == '-') {
    out.negative = true;
    ++i;
  }
  for (bool fraction = false; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    out.digits += text[i];
    if (fraction) --out.exponent;
  }
  if (i < text.size()) {
    std::size_t start = i + 1;
    if (start < text.size() && text[start] == '+') ++start;
    std::int64_t power = 0;
    const auto parsed = std::from_chars(text.data() + start, text.data() + text.size(), power);
    if (parsed.ec == std::errc::result_out_of_range)
      power = text[start] == '-' ? -1'000'000'000 : 1'000'000'000;
    out.exponent += std::clamp<std::int64_t>(power, -1'000'000'000, 1'000'000'000);
  }
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  while (!out.digits.empty() && out.digits.back() == '0') {
    out.digits.pop_back();
    ++out.exponent;
  }
  if (out.digits.empty()) out = {};
  return out;
}

bool equal_numbers(std::string_view a, std::string_view b) {
  return a == b || to_decimal(a) == to_decimal(b);
}

}  // namespace

std::string_view to_text(JsonType type) {
  switch (type) {
    case JsonType::kNull:
      return "null";
    case JsonType::kBool:
      return "bool";
    case JsonType::kNumber:
      return "number";
    case JsonType::kString:
      return "string";
    case JsonType::kArray:
      return "array";
    case JsonType::kObject:
      return "object";
  }
  return "null";
}

std::optional<std::int64_t> Json::as_int() const {
  if (!is_number()) return std::nullopt;
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size()) return value;
  const Decimal decimal = to_decimal(digits);
  if (decimal.exponent < 0 || decimal.exponent > 18) return std::nullopt;
  std::string whole = (decimal.negative ? "-" : "") + decimal.digits;
  whole.append(static_cast<std::size_t>(decimal.exponent), '0');
  if (decimal.digits.empty()) return 0;
  const auto again = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (again.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<double> Json::as_double() const {
  if (!is_number()) return std::nullopt;
  const std::string_view digits = text();
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec == std::errc()) return value;
  return std::nullopt;
}

Json make_string(base::Arena& arena, std::string_view text) {
  return Json::string(arena.copy(text));
}

Json make_int(base::Arena& arena, std::int64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return Json::number(arena.copy(std::string_view(buffer, static_cast<std::size_t>(end - buffer))));
}

Json make_array(base::Arena& arena, std::initializer_list<Json> items) {
  return make_array(arena, std::span(items.begin(), items.size()));
}

Json make_array(base::Arena& arena, std::span<const Json> items) {
  return Json::array(arena.copy(items));
}

Json make_object(base::Arena& arena, std::initializer_list<JsonMember> members) {
  return make_object(arena, std::span(members.begin(), members.size()));
}

Json make_object(base::Arena& arena, std::span<const JsonMember> members) {
  return Json::object(arena.copy(members));
}

Json deep_copy(base::Arena& arena, Json value) {
  switch (value.type()) {
    case JsonType::kNull:
    case JsonType::kBool:
      return value;
    case JsonType::kNumber:
      return Json::number(arena.copy(value.number_text()));
    case JsonType::kString:
      return make_string(arena, value.string_or_empty());
    case JsonType::kArray: {
      const auto items = arena.make_array<Json>(value.size());
      for (std::size_t i = 0; i < items.size(); ++i) items[i] = deep_copy(arena, value.items()[i]);
      return Json::array(items);
    }
    case JsonType::kObject: {
      const auto members = arena.make_array<JsonMember>(value.size());
      for (std::size_t i = 0; i < members.size(); ++i) {
        const JsonMember& from = value.members()[i];
        members[i] = {arena.copy(from.key), deep_copy(arena, from.value)};
      }
      return Json::object(members);
    }
  }
  return {};
}

Json with_member(base::Arena& arena, Json object, std::string_view key, Json value) {
  const auto old = object.members();
  const auto found = std::find_if(old.begin(), old.end(), [key](const JsonMember& member) {
    return base::same_key(member.key, key);
  });
  if (found == old.end()) {
    const auto members = arena.copy_and_grow(old, 1);
    members.back() = {key, value};
    return Json::object(members);
  }
  const auto members = arena.copy(old);
  members[static_cast<std::size_t>(found - old.begin())].value = value;
  return Json::object(members);
}

Json without_member(base::Arena& arena, Json object, std::string_view key) {
  const auto old = object.members();
  if (!object.has(key)) return object;
  const auto members = arena.make_array<JsonMember>(old.size() - 1);
  std::copy_if(old.begin(), old.end(), members.begin(),
               [key](const JsonMember& member) { return member.key != key; });
  return Json::object(members);
}

Json with_item(base::Arena& arena, Json array, std::size_t index, Json value) {
  assert(index < array.items().size());
  const auto items = arena.copy(array.items());
  items[index] = value;
  return Json::array(items);
}

Json with_inserted(base::Arena& arena, Json array, std::size_t index, Json value) {
  const auto old = array.items();
  assert(index <= old.size());
  const auto items = arena.copy_and_grow(old, 1);
  const auto place = items.begin() + static_cast<std::ptrdiff_t>(index);
  std::copy_backward(place, items.end() - 1, items.end());
  *place = value;
  return Json::array(items);
}

Json without_item(base::Arena& arena, Json array, std::size_t index) {
  const auto old = array.items();
  assert(index < old.size());
  const auto items = arena.make_array<Json>(old.size() - 1);
  std::copy_n(old.begin(), index, items.begin());
  std::copy(old.begin() + static_cast<std::ptrdiff_t>(index) + 1, old.end(),
            items.begin() + static_cast<std::ptrdiff_t>(index));
  return Json::array(items);
}

namespace {

// The very same value, or an equal one.
bool same(const Json& a, const Json& b) {
  return a.shares(b) || equal(a, b);
}

// The object has such a member: mostly at the same place.
bool has_equal(Json object, const JsonMember& member, std::size_t place) {
  const JsonMember& there = object.members()[place];
  const bool shares_key =
      there.key.data() == member.key.data() && there.key.size() == member.key.size();
  if (shares_key || base::same_key(there.key, member.key)) return same(there.value, member.value);
  const Json* other = object.find(member.key);
  return other != nullptr && equal(member.value, *other);
}

bool equal_members(Json a, Json b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!has_equal(b, a.members()[i], i)) return false;
  }
  return true;
}

}  // namespace

bool equal(Json a, Json b) {
  if (a.shares(b)) return true;
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case JsonType::kNull:
      return true;
    case JsonType::kBool:
      return a.bool_or(false) == b.bool_or(false);
    case JsonType::kNumber:
      return equal_numbers(a.number_text(), b.number_text());
    case JsonType::kString:
      return a.string_or_empty() == b.string_or_empty();
    case JsonType::kArray:
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        same);
    case JsonType::kObject:
      return equal_members(a, b);
  }
  return false;
}

void append_json_string(std::string& out, std::string_view text) {
  Printer(out).put_string(text);
}

void append_json(std::string& out, Json value) {
  Printer(out).put_value(value);
}

std::string to_json(Json value) {
  std::string out;
  append_json(out, value);
  return out;
}

}  // namespace berth::kube
