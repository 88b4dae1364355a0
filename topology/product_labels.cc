#include <algorithm>

#include "topology/catalog.h"
#include "topology/catalog_data.h"

namespace berth::topology {

std::vector<std::string_view> product_labels(std::string_view name) {
  std::vector<std::string_view> labels;
  const ProductName wanted(name);
  for (const Product& row : data::products()) {
    const bool meant = row.family == name || wanted.means(ProductWords(row.label), row.memory_mib);
    if (!meant || std::find(labels.begin(), labels.end(), row.label) != labels.end()) continue;
    labels.push_back(row.label);
  }
  return labels;
}

}  // namespace berth::topology
