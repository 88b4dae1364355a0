// Values as JSON.
#include <string>

#include "rules/cel/text.h"
#include "rules/cel/time.h"
#include "rules/cel/value.h"

namespace berth::rules::cel {
namespace {

// Values that share parts may be far larger as JSON than in memory.
constexpr int kMaxItems = 100'000;

class JsonMaker {
 public:
  explicit JsonMaker(base::Arena& arena) : arena_(arena) {}

  kube::Json make(Value value);

 private:
  kube::Json text(Value value) {
    TextBuilder out(arena_, 64 * 1024);
    append_value(out, value, Style::kMessage);
    return kube::Json::string(out.view());
  }
  kube::Json number(Value value);
  kube::Json list(Value value);
  kube::Json map(Value value);

  base::Arena& arena_;
  int items_ = 0;
};

kube::Json JsonMaker::number(Value value) {
  TextBuilder out(arena_, 64);
  append_value(out, value, Style::kMessage);
  const bool finite = out.view().find_first_of("IN") == std::string_view::npos;
  return finite ? kube::Json::number(out.view()) : kube::Json();
}

kube::Json JsonMaker::list(Value value) {
  const auto items = arena_.make_array<kube::Json>(value.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = make(value.item(i));
  return kube::Json::array(items);
}

kube::Json JsonMaker::map(Value value) {
  const auto members = arena_.make_array<kube::JsonMember>(value.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i] = {text(value.key_at(i)).string_or_empty(), make(value.value_at(i))};
  }
  return kube::Json::object(members);
}

kube::Json JsonMaker::make(Value value) {
  if (++items_ > kMaxItems) return {};
  if (const kube::Json viewed = value.viewed_json(); !viewed.is_null()) return viewed;
  switch (value.kind()) {
    case Kind::kBool:
      return kube::Json::boolean(value.as_bool());
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
      return number(value);
    case Kind::kString:
      return kube::Json::string(value.text());
    case Kind::kList:
      return list(value);
    case Kind::kMap:
      return map(value);
    case Kind::kBytes:
    case Kind::kTimestamp:
    case Kind::kDuration:
    case Kind::kQuantity:
    case Kind::kType:
      return text(value);
    case Kind::kOptional:
      return value.has_value() ? make(value.optional_value()) : kube::Json();
    case Kind::kError:
    case Kind::kNull:
    case Kind::kStruct:
      break;
  }
  return {};
}

}  // namespace

kube::Json to_json(base::Arena& arena, Value value) {
  return JsonMaker(arena).make(value);
}

}  // namespace berth::rules::cel
