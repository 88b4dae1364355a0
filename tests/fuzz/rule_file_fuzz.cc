// A rule file: YAML, schema, expressions, proof. Oracle: no crash; a text loads or has an error;
// the same text gives the same problems, and every place lies in the text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "rules/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  if (size > 64 * 1024) return 0;
  const base::SourceText source("f.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const rules::LoadResult first = rules::load(std::span(&source, 1), {});
  if ((first.rules == nullptr) != first.problems.has_errors()) std::abort();
  const rules::LoadResult second = rules::load(std::span(&source, 1), {});
  const auto a = first.problems.list();
  const auto b = second.problems.list();
  if (a.size() != b.size()) std::abort();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] || a[i].text.empty() || a[i].code.empty()) std::abort();
    const auto again = source.place_at(source.offset_of(a[i].place.line, a[i].place.column));
    if (a[i].place.line < 1 || again != a[i].place) std::abort();
    if (to_text(a[i]).empty()) std::abort();
  }
  return 0;
}
