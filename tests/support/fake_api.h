// A Kubernetes API server in memory, as a Transport: one collection with versions, lists in pages,
// watches from a version, and everything that goes wrong on the way: cuts anywhere, pieces of any
// size, versions forgotten (410, as status and as event), "too large resource version", refusals.
// One thread.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/transport.h"

namespace berth::testing {

/// An answer told outright.
struct Told {
  int status = 200;
  std::vector<std::string> pieces = {};
  std::optional<std::string> broken = std::nullopt;  ///< the connection fails behind the pieces
};

/// Answers by a function; keeps the targets that it was asked for.
class ToldTransport : public kube::Transport {
 public:
  explicit ToldTransport(std::function<Told(const kube::HttpGet&)> answer)
      : answer_(std::move(answer)) {}

  base::Status get(const kube::HttpGet& request, const kube::HttpReceiver& receiver,
                   const std::stop_token& stop) override {
    targets.push_back(request.target);
    patience.push_back(request.patience);
    const Told told = answer_(request);
    if (told.status == 0) return base::Error{base::ErrorCode::kUnavailable, *told.broken};
    if (receiver.head(told.status) == kube::Reading::kEnough) return base::Done{};
    for (const std::string& piece : told.pieces) {
      if (stop.stop_requested() || receiver.body(piece) == kube::Reading::kEnough)
        return base::Done{};
    }
    if (told.broken) return base::Error{base::ErrorCode::kUnavailable, *told.broken};
    return base::Done{};
  }
  std::string server() const override { return "https://api.test:6443"; }

  std::vector<std::string> targets;
  std::vector<std::chrono::milliseconds> patience;

 private:
  std::function<Told(const kube::HttpGet&)> answer_;
};

inline std::string query_value(const std::string& target, const std::string& key) {
  std::size_t at = target.find("?" + key + "=");
  if (at == std::string::npos) at = target.find("&" + key + "=");
  if (at == std::string::npos) return {};
  at += key.size() + 2;
  return target.substr(at, target.find('&', at) - at);
}

/// One collection with its history. Objects are {"metadata":{"name":N,"resourceVersion":V},"v":X}.
class FakeCollection {
 public:
  std::map<std::string, std::string> objects;  ///< name -> JSON
  long version = 100;
  long forgotten = 0;  ///< versions up to this one cannot be watched from

  void set(const std::string& name, const std::string& value) {
    const bool is_new = !objects.contains(name);
    ++version;
    objects[name] = json(name, value);
    history_.push_back({version, is_new ? "ADDED" : "MODIFIED", objects[name]});
  }
  void remove(const std::string& name) {
    ++version;
    if (objects.erase(name) == 0) return;
    history_.push_back({version, "DELETED", json(name, "gone")});
  }
  void compact() { forgotten = version; }

  Told list(const std::string& target) const {
    const std::string limit_text = query_value(target, "limit");
    const auto limit = limit_text.empty() ? objects.size() + 1 : std::stoul(limit_text);
    const std::string after = query_value(target, "continue");
    auto at = after.empty() ? objects.begin() : objects.upper_bound(after);
    std::string items;
    std::string next;
    for (std::size_t i = 0; at != objects.end() && i < limit; ++i, ++at) {
      items += (items.empty() ? "" : ",") + at->second;
      next = at->first;
    }
    if (at == objects.end()) next.clear();
    return {200,
            {"{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" + std::to_string(version) +
             "\",\"continue\":\"" + next + "\"},\"items\":[" + items + "]}"}};
  }

  Told watch(const std::string& target) const {
    const long from = std::stol(query_value(target, "resourceVersion"));
    if (from < forgotten) return {200, {error_event(410, "Expired", "too old resource version")}};
    if (from > version) {
      return {504,
              {R"({"kind":"Status","reason":"Timeout","code":504,"message":"Too large resource )"
               R"(version","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})"}};
    }
    Told told;
    for (const Past& past : history_) {
      if (past.version <= from) continue;
      told.pieces.push_back("{\"type\":\"" + past.type + "\",\"object\":" + past.object + "}\n");
    }
    told.pieces.push_back(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
                          std::to_string(version) + "\"}}}\n");
    return told;
  }

  static std::string error_event(int code, const std::string& reason, const std::string& message) {
    return R"({"type":"ERROR","object":{"kind":"Status","code":)" + std::to_string(code) +
           ",\"reason\":\"" + reason + "\",\"message\":\"" + message + "\"}}\n";
  }

 private:
  struct Past {
    long version;
    std::string type;
    std::string object;
  };
  std::string json(const std::string& name, const std::string& value) const {
    return "{\"metadata\":{\"name\":\"" + name + "\",\"resourceVersion\":\"" +
           std::to_string(version) + "\"},\"v\":\"" + value + "\"}";
  }
  std::deque<Past> history_;
};

}  // namespace berth::testing
