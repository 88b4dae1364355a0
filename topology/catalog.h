// Catalog: static facts about GPU products, MIG profiles and level labels, compiled in from data
// files (topology/data/*.yaml, our own tables with sources; tools/catalog.py makes catalog_data.cc
// of them). Pure look-ups, safe from every thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::topology {

/// How far NVLink (or the vendor's like of it) reaches.
enum class NvlinkReach : std::uint8_t { kNone, kBridge, kNode, kRack };

/// A row of the product table.
struct Product {
  std::string_view family;  ///< as rules name it: "H100"
  std::string_view vendor;
  std::string_view label;       ///< the usual label value: "NVIDIA-H100-80GB-HBM3"
  std::int64_t memory_mib = 0;  ///< of one whole GPU; 0 unknown
  std::int32_t mig = -1;        ///< index of the MIG geometry; -1 none
  NvlinkReach nvlink = NvlinkReach::kNone;
};

/// The label value without what MIG and sharing append ("-MIG-1g.10gb", "-SHARED").
std::string_view bare_product(std::string_view label_value);

/// The row of a label value (suffixes allowed), of a provider's name ("nvidia-h100-mega-80gb",
/// "h100") or of a family (then its smallest card); nullptr where unknown. Letter case does not
/// matter.
const Product* find_product(std::string_view name);

/// The row of the GPU in a machine type ("p5.48xlarge"), or nullptr.
const Product* product_of_machine(std::string_view instance_type);

/// The product family of a label value ("NVIDIA-H100-80GB-HBM3" -> "H100"), also of one that is not
/// in the table but has a family's name among its words; the bare value itself where unknown.
std::string product_family(std::string_view label_value);

/// Known family names, for checks of rule files, sorted.
std::span<const std::string_view> product_families();

/// The usual label values of the known cards that a name means ("H100" -> NVIDIA-H100-80GB-HBM3,
/// NVIDIA-H100-PCIe, ...), for clusters whose nodes are not known. In the order of the table.
std::vector<std::string_view> product_labels(std::string_view name);

/// A family, a label value or a narrower name such as "A100-80GB" that some known product has.
bool is_known_product(std::string_view name);

/// A label value taken apart, to be compared with many names.
class ProductWords {
 public:
  explicit ProductWords(std::string_view label_value);

 private:
  friend class ProductName;
  std::string low_;  // in lower case
  std::vector<std::string> words_;
  std::uint64_t marks_ = 0;  // a bit for each word; two words may share one
};

/// A name that rules ask for ("A100-80GB"), taken apart to be compared with many label values.
class ProductName {
 public:
  explicit ProductName(std::string_view name);

  /// All words of the name are among those of the label value; letter case does not matter. A word
  /// such as 80GB also stands for the memory, given in MiB (0 unknown).
  bool means(const ProductWords& label, std::int64_t memory_mib) const;

 private:
  struct Word {
    std::string text;
    std::int64_t gigabytes = 0;  ///< of a word such as 80gb
  };
  std::string low_;
  std::vector<Word> words_;  // none: the name means its own label value alone
  std::uint64_t marks_ = 0;  // a bit for each word that only a word of the label value can be
};

/// ProductName(name).means(...) for one label value.
bool is_named(std::string_view label_value, std::int64_t memory_mib, std::string_view name);

/// Memory of one whole GPU in MiB by label value or family; nothing where unknown.
std::optional<std::int64_t> product_memory_mib(std::string_view label_value);

/// Usable memory in MiB of one MIG slice of a profile on a product; nothing where the product has
/// no such profile. A profile's name says less: "1g.10gb" on A100 80 GB is 9856 MiB. Where no
/// measured size is known the answer is an estimate from below. A family ("A100") gives the
/// smallest size among its cards. Profiles are taken in both spellings, "1g.10gb+me" and
/// "1g.10gb.me"; one that a driver names a little apart ("7g.79gb" for "7g.80gb") is found.
std::optional<std::int64_t> slice_memory_mib(std::string_view product_label,
                                             std::string_view profile);

/// Slices of a profile that fit one GPU of a product; nothing where unknown.
std::optional<std::int64_t> slices_per_gpu(std::string_view product_label,
                                           std::string_view profile);

/// Compute slices of a profile ("3g.40gb" -> 3).
std::optional<int> slice_compute(std::string_view profile);

/// True where some known product has the profile; for checks of rule files.
bool is_known_profile(std::string_view profile);
/// In the spelling of resource names ("1g.10gb.me"), sorted.
std::span<const std::string_view> known_profiles();

}  // namespace berth::topology
