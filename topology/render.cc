#include "topology/render.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "topology/gpu_sums.h"

namespace berth::topology {
namespace {

constexpr std::int64_t kMibPerGib = 1024;
constexpr std::size_t kIndent = 2;
constexpr std::int64_t kBarCells = 10;
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string ratio(std::int64_t free, std::int64_t total) {
  return std::to_string(free) + "/" + std::to_string(total);
}

std::string memory_text(std::int64_t mib) {
  return mib == 0 ? "" : std::to_string((mib + kMibPerGib / 2) / kMibPerGib) + "Gi";
}

std::string count_of(std::int64_t number, std::string_view word) {
  return std::to_string(number) + " " + std::string(word) + (number == 1 ? "" : "s");
}

// "H100 80Gi"; the label where the family is unknown.
std::string product_text(const Node& node) {
  if (node.vendor.empty()) return "no GPUs";
  const std::string name = node.product.empty() ? node.vendor + " GPU" : node.product;
  const std::string memory = memory_text(node.memory_mib);
  return memory.empty() ? name : name + " " + memory;
}

std::int64_t left(std::int64_t total, std::int64_t used) {
  return std::max<std::int64_t>(0, total - used);
}

// Slices and shares: "1g.10gb 5/8, mps 20/20 on 2 cards".
std::string parts_text(const Node& node) {
  std::string out;
  for (const SliceCount& slice : node.slices) {
    const std::int64_t free = in_service(node) ? left(slice.total, slice.used) : 0;
    out += (out.empty() ? "" : ", ") + slice.profile + " " + ratio(free, slice.total);
  }
  if (node.shares > 0) {
    const std::int64_t free = in_service(node) ? left(node.shares, node.shares_used) : 0;
    out += (out.empty() ? "" : ", ") + std::string(to_text(node.sharing)) + " " +
           ratio(free, node.shares);
    if (node.cards > 0) out += " on " + count_of(node.cards, "card");
  }
  if (node.sharing == Sharing::kMigSingle && !out.empty()) out += " as whole GPUs";
  return out;
}

std::string state_text(const Node& node) {
  std::string out;
  if (!node.schedulable) out = "cordoned or not ready";
  if (!node.healthy) out += (out.empty() ? "" : ", ") + ("unwell: " + node.unwell);
  if (!node.compute_domain.empty()) {
    out += (out.empty() ? "" : ", ") + ("compute domain " + node.compute_domain);
  }
  return out;
}

// All that a line says of a node, apart from its name.
std::string detail_text(const Node& node) {
  std::string out = product_text(node);
  if (node.whole_gpus > 0) {
    out += "  " + ratio(in_service(node) ? node.whole_gpus_free() : 0, node.whole_gpus) + " free";
  }
  if (const std::string parts = parts_text(node); !parts.empty()) out += "  " + parts;
  if (const std::string state = state_text(node); !state.empty()) out += "  (" + state + ")";
  return out;
}

std::string bar(const GpuSum& sum) {
  if (sum.total == 0) return {};
  const std::int64_t free = sum.free * kBarCells / sum.total;
  const std::int64_t out = sum.out_of_service * kBarCells / sum.total;
  std::string cells;
  for (std::int64_t i = 0; i < kBarCells; ++i) {
    cells += i < kBarCells - free - out ? "\u2588" : i < kBarCells - free ? "\u2592" : "\u2591";
  }
  return "  " + cells;
}

// ", 3.5 unusable"; nothing where it rounds to nothing.
std::string unusable_text(const GpuSum& sum) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", sum.unusable);
  const std::string_view figure = text.data();
  return figure == "0.0" ? std::string() : ", " + std::string(figure) + " unusable";
}

std::string sum_text(const GpuSum& sum, const RenderOptions& options) {
  std::string out = "  " + ratio(sum.free, sum.total) + " free on " + count_of(sum.nodes, "node");
  if (sum.out_of_service > 0) {
    out += ", " + std::to_string(sum.out_of_service) + " out of service";
  }
  return out + unusable_text(sum) + (options.bars ? bar(sum) : "");
}

class Tree {
 public:
  Tree(const Snapshot& snapshot, const RenderOptions& options)
      : snapshot_(snapshot), options_(options), sums_(snapshot) {}

  std::string draw() {
    std::vector<std::int32_t> shown;
    const GpuSum all = sums_.all();
    std::int64_t without = 0;
    for (std::size_t i = 0; i < snapshot_.nodes().size(); ++i) {
      const Node& node = snapshot_.nodes()[i];
      without += node.vendor.empty() ? 1 : 0;
      if (!node.vendor.empty() || options_.cpu_nodes) {
        shown.push_back(static_cast<std::int32_t>(i));
      }
    }
    out_ = count_of(all.nodes, "node") + ", " + std::to_string(all.nodes - without) +
           " with GPUs; " + ratio(all.free, all.total) + " GPUs free";
    if (all.out_of_service > 0) {
      out_ += ", " + std::to_string(all.out_of_service) + " out of service";
    }
    out_ += unusable_text(all);
    if (all.free > 0 && !sums_.knows_usual_pods()) out_ += "; usual pods are not known";
    if (!snapshot_.fresh()) out_ += " (the picture is not up to date)";
    out_ += "\n";
    draw_level(shown, snapshot_.levels().size(), 0);
    return std::move(out_);
  }

 private:
  const Node& node_at(std::int32_t index) const {
    return snapshot_.nodes()[static_cast<std::size_t>(index)];
  }

  // Level 0 is the node itself: its domains are the leaves.
  void draw_level(const std::vector<std::int32_t>& nodes, std::size_t above, std::size_t depth) {
    if (above <= 1) {
      draw_nodes(nodes, depth);
      return;
    }
    const std::size_t level = above - 1;
    std::map<std::int32_t, std::vector<std::int32_t>> groups;
    std::vector<std::int32_t> rest;
    for (const std::int32_t i : nodes) {
      const std::int32_t domain = node_at(i).domain[level];
      (domain < 0 ? rest : groups[domain]).push_back(i);
    }
    for (const auto& [index, members] : groups) {
      const Domain& domain = snapshot_.domains(level)[static_cast<std::size_t>(index)];
      out_ += std::string(depth * kIndent, ' ') + snapshot_.levels()[level].name + " " +
              domain.name + sum_text(sums_.of(members), options_) + "\n";
      draw_level(members, level, depth + 1);
    }
    if (!rest.empty()) draw_level(rest, level, depth);
  }

  // Nodes that are alike, on one line.
  struct Line {
    std::string detail;
    std::vector<std::string_view> names;
    bool served = true;
  };

  void draw_nodes(const std::vector<std::int32_t>& nodes, std::size_t depth) {
    std::vector<Line> lines;
    for (const std::int32_t i : nodes) {
      Line line{detail_text(node_at(i)), {node_at(i).name}, in_service(node_at(i))};
      const auto same =
          options_.fold
              ? std::find_if(lines.begin(), lines.end(),
                             [&line](const Line& have) { return have.detail == line.detail; })
              : lines.end();
      if (same != lines.end()) {
        same->names.push_back(line.names[0]);
      } else {
        lines.push_back(std::move(line));
      }
    }
    for (const Line& line : lines) {
      const bool red = options_.colour && !line.served;
      out_.append(depth * kIndent, ' ').append(fold_names(line.names)).append("  ");
      if (line.names.size() > 1) out_ += "each ";
      out_.append(red ? kRed : "").append(line.detail).append(red ? kPlain : "").append("\n");
    }
  }

  const Snapshot& snapshot_;
  const RenderOptions& options_;
  const GpuSums sums_;
  std::string out_;
};

// A name apart: text, digits, text. No digits: everything in front.
struct Numbered {
  std::string_view front;
  std::string_view digits;
  std::string_view back;
  std::int64_t value = 0;

  bool follows(const Numbered& other) const {
    return !digits.empty() && front == other.front && back == other.back &&
           value == other.value + 1 &&
           (digits.size() == other.digits.size() || (digits[0] != '0' && other.digits[0] != '0'));
  }
};

Numbered take_apart(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const auto last = name.find_last_of(kDigits);
  if (last == std::string_view::npos) return {name, {}, {}, 0};
  const auto before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  Numbered out{name.substr(0, first), name.substr(first, last + 1 - first), name.substr(last + 1),
               0};
  const auto [end, error] =
      std::from_chars(out.digits.data(), out.digits.data() + out.digits.size(), out.value);
  if (error != std::errc() || end != out.digits.data() + out.digits.size())
    return {name, {}, {}, 0};
  return out;
}

void pad_columns(std::string& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

}  // namespace

std::string fold_names(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const Numbered first = take_apart(names[i]);
    Numbered last = first;
    std::size_t next = i + 1;
    while (next < names.size() && take_apart(names[next]).follows(last)) {
      last = take_apart(names[next++]);
    }
    if (!out.empty()) out += ", ";
    if (next == i + 1) {
      out += names[i];
    } else {
      out += std::string(first.front) + "[" + std::string(first.digits) + "-" +
             std::string(last.digits) + "]" + std::string(first.back);
    }
    i = next;
  }
  return out;
}

std::string render_tree(const Snapshot& snapshot, const RenderOptions& options) {
  return Tree(snapshot, options).draw();
}

std::string render_table(const Snapshot& snapshot, const RenderOptions& options) {
  std::vector<std::vector<std::string>> rows = {{"NODE", "PRODUCT", "FREE", "SLICES AND SHARES"}};
  for (std::size_t level = snapshot.levels().size(); level-- > 1;) {
    std::string title = snapshot.levels()[level].name;
    std::transform(title.begin(), title.end(), title.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    rows[0].push_back(std::move(title));
  }
  rows[0].push_back("STATE");
  for (const Node& node : snapshot.nodes()) {
    if (node.vendor.empty() && !options.cpu_nodes) continue;
    std::vector<std::string> row = {
        node.name, product_text(node),
        ratio(in_service(node) ? node.whole_gpus_free() : 0, node.whole_gpus), parts_text(node)};
    if (row[3].empty()) row[3] = "-";
    for (std::size_t level = snapshot.levels().size(); level-- > 1;) {
      const std::int32_t domain = node.domain[level];
      row.push_back(domain < 0 ? "-"
                               : snapshot.domains(level)[static_cast<std::size_t>(domain)].name);
    }
    const std::string state = state_text(node);
    row.push_back(state.empty() ? "ok" : state);
    rows.push_back(std::move(row));
  }
  std::string out;
  pad_columns(out, rows);
  return out;
}

}  // namespace berth::topology
