// Fuzzes the framing of one connection. The input's first bytes choose how the rest is cut into
// pieces; what is sent back must not depend on that, and a 200 may only answer whole requests.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/support/memory_stream.h"

namespace {

using berth::tests::HttpBench;
using berth::webhook::Next;

constexpr berth::webhook::HttpLimits kLimits{1024, 16, 2048};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t first = 1 + data[0];
  const std::size_t then = 1 + data[1];
  const std::string sent(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (sent.empty()) return 0;

  HttpBench at_once(HttpBench::echo, kLimits);
  at_once.stream().send(sent);
  const Next whole = at_once.run();

  HttpBench cut(HttpBench::echo, kLimits);
  cut.stream().send(sent.substr(0, first));
  for (std::size_t i = first; i < sent.size(); i += then) cut.stream().send(sent.substr(i, then));
  const Next pieces = cut.run();

  if (whole != pieces || at_once.stream().received() != cut.stream().received()) std::abort();
  if (whole == Next::kReadable) at_once.connection().expire();
  return 0;
}
