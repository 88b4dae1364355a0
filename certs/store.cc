#include "certs/store.h"

#include <fstream>
#include <iterator>
#include <utility>

namespace berth::certs {
namespace {

constexpr std::size_t kMaxFileBytes = 1U << 20U;  // 1 MiB; a chain is a few KiB

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return base::Error{base::ErrorCode::kNotFound, "cannot open '" + path + "'"};
  }
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) {
    return base::Error{base::ErrorCode::kUnavailable, "cannot read '" + path + "'"};
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) {
    return base::invalid("'" + path + "' is larger than 1 MiB; expected a PEM text");
  }
  return text;
}

}  // namespace

base::Status Store::replace(Bundle bundle) {
  auto context = make_server_context(bundle);
  if (!context) return context.error();
  auto next = std::make_shared<Served>();
  next->bundle = std::move(bundle);
  next->context = std::move(*context);
  next->generation = stats_.generation.load(std::memory_order_relaxed) + 1;
  stats_.not_after.store(next->bundle.not_after, std::memory_order_relaxed);
  stats_.generation.store(next->generation, std::memory_order_relaxed);
  stats_.reloads.fetch_add(1, std::memory_order_relaxed);
  current_.swap(std::move(next));
  refusal_.swap(nullptr);
  refused_hash_.clear();
  return base::Done{};
}

base::Error Store::refuse(base::Error error, std::string hash) {
  const auto last = refusal_.get();
  if (!last || last->text != error.text || refused_hash_ != hash) {
    stats_.failures.fetch_add(1, std::memory_order_relaxed);
    refusal_.swap(std::make_shared<Refusal>(Refusal{error.text}));
    refused_hash_ = std::move(hash);
  }
  return error;
}

base::Result<Reload> Store::reload_from_files(const PairFiles& files, std::int64_t now) {
  const auto chain = read_file(files.chain);
  if (!chain) return refuse(chain.error(), "");
  const auto key = read_file(files.key);
  if (!key) return refuse(key.error(), "");
  std::string hash = content_hash(*chain, *key);
  const auto served = current();
  if (served && served->bundle.content_hash == hash) {
    refusal_.swap(nullptr);
    refused_hash_.clear();
    return Reload::kUnchanged;
  }
  const std::string place = "'" + files.chain + "' with '" + files.key + "': ";
  auto bundle = read_bundle(*chain, *key, now);
  if (!bundle) return refuse({bundle.error().code, place + bundle.error().text}, std::move(hash));
  if (auto replaced = replace(std::move(*bundle)); !replaced) {
    return refuse({replaced.error().code, place + replaced.error().text}, std::move(hash));
  }
  return Reload::kReplaced;
}

}  // namespace berth::certs
