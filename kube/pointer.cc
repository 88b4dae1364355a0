#include "kube/pointer.h"

#include <algorithm>
#include <charconv>

namespace berth::kube {
namespace {

void append_escaped(std::string& out, std::string_view segment) {
  for (const char c : segment) {
    if (c == '~') {
      out.append("~0");
    } else if (c == '/') {
      out.append("~1");
    } else {
      out.push_back(c);
    }
  }
}

// Appends the unescaped segment; false for a '~' that is not followed by 0 or 1.
bool append_unescaped(std::string& out, std::string_view segment) {
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '~') {
      out.push_back(segment[i]);
      continue;
    }
    if (++i == segment.size() || (segment[i] != '0' && segment[i] != '1')) return false;
    out.push_back(segment[i] == '0' ? '~' : '/');
  }
  return true;
}

bool has_escapes(std::string_view segments) {
  return segments.find('~') != std::string_view::npos;
}

// The child of a value by a segment that is unescaped already.
const Json* child(const Json& parent, std::string_view segment) {
  if (parent.is_object()) return parent.find(segment);
  const auto index = array_index(segment);
  return index && *index < parent.items().size() ? &parent.items()[*index] : nullptr;
}

}  // namespace

std::string escape_segment(std::string_view segment) {
  std::string out;
  append_escaped(out, segment);
  return out;
}

void append_segment(std::string& pointer, std::string_view segment) {
  pointer.push_back('/');
  append_escaped(pointer, segment);
}

void append_segment(std::string& pointer, std::size_t index) {
  pointer.append("/").append(std::to_string(index));
}

std::optional<std::size_t> array_index(std::string_view segment) {
  if (segment.empty() || (segment.size() > 1 && segment.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const char* end = segment.data() + segment.size();
  const auto [stop, failure] = std::from_chars(segment.data(), end, index);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return index;
}

base::Result<std::span<const std::string_view>> split_pointer(std::string_view pointer,
                                                              base::Arena& arena) {
  using Segments = std::span<const std::string_view>;
  if (pointer.empty()) return Segments();
  if (pointer.front() != '/') {
    return base::invalid("pointer '" + std::string(pointer) + "' does not start with '/'");
  }
  constexpr std::size_t kUsual = 8;
  auto segments = arena.make_array<std::string_view>(kUsual);
  std::size_t count = 0;
  std::size_t start = 1;
  std::size_t end = 0;
  do {
    end = std::min(pointer.find('/', start), pointer.size());
    if (count == segments.size()) {
      segments = arena.copy_and_grow(std::span<const std::string_view>(segments), count);
    }
    segments[count++] = pointer.substr(start, end - start);
    start = end + 1;
  } while (end < pointer.size());
  segments = segments.first(count);
  if (!has_escapes(pointer)) return Segments(segments);
  for (std::string_view& segment : segments) {
    if (!has_escapes(segment)) continue;
    std::string unescaped;
    if (!append_unescaped(unescaped, segment)) {
      return base::invalid("pointer '" + std::string(pointer) +
                           "' has a '~' that is not followed by 0 or 1");
    }
    segment = arena.copy(std::string_view(unescaped));
  }
  return Segments(segments);
}

const Json* find_at(const Json& root, std::string_view pointer) {
  const Json* at = &root;
  const bool escaped = has_escapes(pointer);
  std::string unescaped;
  while (!pointer.empty() && at != nullptr) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string_view segment = pointer.substr(0, end);
    pointer.remove_prefix(end);
    if (escaped && has_escapes(segment)) {
      unescaped.clear();
      if (!append_unescaped(unescaped, segment)) return nullptr;
      segment = unescaped;
    }
    at = child(*at, segment);
  }
  return at;
}

}  // namespace berth::kube
