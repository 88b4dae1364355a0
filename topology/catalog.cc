#include "topology/catalog.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/keys.h"
#include "topology/catalog_data.h"

namespace berth::topology {
namespace {

// Bytes beyond this cannot be part of a name that we know; label values stop at 63.
constexpr std::size_t kLongestName = 253;

// Part of a slice that a driver keeps for itself is at most this, on all cards measured. The
// smallest slices lose most.
constexpr std::int64_t kUsablePercentOfOne = 90;
constexpr std::int64_t kUsablePercentOfMore = 92;
constexpr std::int64_t kUsablePercentOfName = 85;
constexpr std::int64_t kMibPerGib = 1024;
constexpr std::int64_t kMostGigabytes = 100'000;  // in a name

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

// As tools/catalog.py writes the names of the table.
std::string plain_name(std::string_view name) {
  std::string out = lowered(name);
  std::string_view rest = out;
  for (const std::string_view front : {"nvidia-", "tesla-", "amd_", "instinct_"}) {
    if (rest.starts_with(front)) rest.remove_prefix(front.size());
  }
  return std::string(rest);
}

bool is_separator(char c) {
  return c == '-' || c == '_' || c == ' ' || c == '.' || c == '/';
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !is_separator(text[i])) continue;
    if (i > begin) out.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

// The bit of a word, which other words may share.
std::uint64_t mark_of(std::string_view word) {
  return std::uint64_t{1} << base::bucket_of(word);
}

// Gigabytes of a word such as "80gb" or "96g"; 0 for other words.
std::int64_t gigabytes(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || value <= 0 || value > kMostGigabytes) return 0;
  const auto unit = word.substr(static_cast<std::size_t>(end - word.data()));
  return unit == "gb" || unit == "g" ? value : 0;
}

// Names say the maker's gigabytes, drivers a few percent less or more.
bool is_about(std::int64_t gigabyte_count, std::int64_t mib) {
  return std::abs(gigabyte_count * kMibPerGib - mib) * 100 <= gigabyte_count * kMibPerGib * 8;
}

// A family with its words in lower case. The table is made once, at its first use.
struct FamilyWords {
  std::string_view family;
  std::vector<std::string> words;
};

const std::vector<FamilyWords>& families_by_word() {
  static const std::vector<FamilyWords> table = [] {
    std::vector<FamilyWords> out;
    for (const std::string_view family : data::families()) {
      const std::string low = lowered(family);
      const auto words = words_of(low);
      out.push_back({family, {words.begin(), words.end()}});
    }
    return out;
  }();
  return table;
}

// The family whose words stand side by side among those of the value; the longest one wins.
std::string_view family_in(const std::vector<std::string_view>& words) {
  std::string_view best;
  for (const FamilyWords& row : families_by_word()) {
    const auto at = std::search(words.begin(), words.end(), row.words.begin(), row.words.end());
    if (at != words.end() && row.family.size() > best.size()) best = row.family;
  }
  return best;
}

// Known cards that a value not in the table may be: those of its family, and among them those of
// the memory it names.
std::vector<const Product*> candidates(std::string_view name) {
  std::vector<const Product*> out;
  if (name.size() > kLongestName) return out;
  const std::string low = lowered(bare_product(name));
  const auto words = words_of(low);
  const std::string_view family = family_in(words);
  if (family.empty()) return out;
  for (const Product& product : data::products()) {
    if (product.family == family) out.push_back(&product);
  }
  for (const std::string_view word : words) {
    const std::int64_t size = gigabytes(word);
    if (size == 0) continue;
    std::vector<const Product*> narrow;
    std::copy_if(out.begin(), out.end(), std::back_inserter(narrow),
                 [size](const Product* p) { return is_about(size, p->memory_mib); });
    if (!narrow.empty()) out = std::move(narrow);
  }
  return out;
}

// A name that stands for one card alone; families do not.
const Product* find_exact(std::string_view name) {
  const Product* found = find_product(name);
  if (found == nullptr) return nullptr;
  const std::string plain = plain_name(name);
  return plain == lowered(found->family) && lowered(name) != lowered(found->label) ? nullptr
                                                                                   : found;
}

std::string resource_spelling(std::string_view profile) {
  std::string out(profile);
  std::replace(out.begin(), out.end(), '+', '.');
  return out;
}

// "1g.10gb.me" apart: 1, 10, ".me".
struct ProfileName {
  int compute = 0;
  std::int64_t gigabytes = 0;
  std::string_view attributes;
};

std::optional<ProfileName> parse_profile(std::string_view profile) {
  ProfileName out;
  const char* end = profile.data() + profile.size();
  auto step = std::from_chars(profile.data(), end, out.compute);
  const auto rest = [&] {
    return std::string_view(step.ptr, static_cast<std::size_t>(end - step.ptr));
  };
  if (step.ec != std::errc() || !rest().starts_with("g.") || out.compute <= 0) return std::nullopt;
  step = std::from_chars(step.ptr + 2, end, out.gigabytes);
  if (step.ec != std::errc() || !rest().starts_with("gb") || out.gigabytes < 0) return std::nullopt;
  step.ptr += 2;
  out.attributes = rest();
  if (out.gigabytes > kMostGigabytes) return std::nullopt;
  const bool clean = out.attributes.empty() || out.attributes[0] == '.' || out.attributes[0] == '-';
  return clean ? std::optional(out) : std::nullopt;
}

const data::MigProfile* find_profile(std::int32_t gpu, std::string_view name) {
  const data::MigProfile* near = nullptr;
  const auto wanted = parse_profile(name);
  for (const data::MigProfile& row : data::mig_profiles()) {
    if (row.gpu != gpu) continue;
    if (row.name == name) return &row;
    const auto have = parse_profile(row.name);
    if (wanted && have && wanted->compute == have->compute &&
        wanted->attributes == have->attributes &&
        std::abs(wanted->gigabytes - have->gigabytes) * 100 <= have->gigabytes * 3) {
      near = &row;
    }
  }
  return near;
}

std::int64_t usable_mib(const data::MigProfile& row) {
  if (row.memory_mib > 0) return row.memory_mib;
  if (row.gpu_mib == 0 || row.memory_axis == 0 || row.memory_width == 0) {
    const auto name = parse_profile(row.name);
    return name ? name->gigabytes * kMibPerGib * kUsablePercentOfName / 100 : 0;
  }
  const std::int64_t share = row.gpu_mib * row.memory_width / row.memory_axis;
  return share * (row.memory_width == 1 ? kUsablePercentOfOne : kUsablePercentOfMore) / 100;
}

// The profile on every card that the product name may mean.
template <typename Visit>
void visit_profiles(std::string_view product_label, std::string_view profile, Visit visit) {
  const std::string name = resource_spelling(profile);
  std::vector<const Product*> cards;
  if (const Product* exact = find_exact(product_label)) {
    cards.push_back(exact);
  } else {
    cards = candidates(product_label);
  }
  for (const Product* card : cards) {
    if (card->mig < 0) continue;
    if (const data::MigProfile* row = find_profile(card->mig, name)) visit(*row);
  }
}

}  // namespace

std::string_view bare_product(std::string_view label_value) {
  constexpr std::string_view kShared = "-SHARED";
  if (label_value.ends_with(kShared)) label_value.remove_suffix(kShared.size());
  const auto mig = label_value.find("-MIG-");
  return mig == std::string_view::npos ? label_value : label_value.substr(0, mig);
}

const Product* find_product(std::string_view name) {
  if (name.size() > kLongestName) return nullptr;
  const std::string plain = plain_name(bare_product(name));
  const auto names = data::product_names();
  const auto at = std::lower_bound(
      names.begin(), names.end(), plain,
      [](const data::ProductName& row, const std::string& text) { return row.name < text; });
  if (at == names.end() || at->name != plain) return nullptr;
  return &data::products()[static_cast<std::size_t>(at->product)];
}

const Product* product_of_machine(std::string_view instance_type) {
  const Product* found = nullptr;
  std::size_t length = 0;
  for (const data::ProductName& row : data::machine_prefixes()) {
    if (instance_type.starts_with(row.name) && row.name.size() > length) {
      found = &data::products()[static_cast<std::size_t>(row.product)];
      length = row.name.size();
    }
  }
  return found;
}

std::string product_family(std::string_view label_value) {
  if (const Product* found = find_product(label_value)) return std::string(found->family);
  if (const auto near = candidates(label_value); !near.empty()) {
    return std::string(near.front()->family);
  }
  return std::string(bare_product(label_value));
}

std::span<const std::string_view> product_families() {
  return data::families();
}

bool is_known_product(std::string_view name) {
  if (find_product(name) != nullptr) return true;
  const ProductName wanted(name);
  return std::any_of(data::products().begin(), data::products().end(),
                     [&wanted](const Product& row) {
                       return wanted.means(ProductWords(row.label), row.memory_mib);
                     });
}

ProductWords::ProductWords(std::string_view label_value) : low_(lowered(label_value)) {
  const auto words = words_of(low_);
  words_.assign(words.begin(), words.end());
  for (const std::string_view word : words) marks_ |= mark_of(word);
}

ProductName::ProductName(std::string_view name) {
  if (name.size() > kLongestName) return;
  low_ = lowered(name);
  // The label of one card is no family name: "NVIDIA-H200" is not the H200 NVL.
  const Product* exact = find_product(name);
  if (exact != nullptr && lowered(exact->label) == low_) return;
  // A name must speak of the product, not only of its maker or its memory.
  const auto words = words_of(low_);
  if (family_in(words).empty()) return;
  for (const std::string_view word : words) {
    words_.push_back({std::string(word), gigabytes(word)});
    if (words_.back().gigabytes == 0) marks_ |= mark_of(word);
  }
}

bool ProductName::means(const ProductWords& label, std::int64_t memory_mib) const {
  if (low_.empty()) return false;
  if (label.low_ == low_) return true;
  if ((marks_ & ~label.marks_) != 0) return false;
  const auto among = [&](const Word& word) {
    const auto& have = label.words_;
    return std::find(have.begin(), have.end(), word.text) != have.end() ||
           (word.gigabytes > 0 && memory_mib > 0 && is_about(word.gigabytes, memory_mib));
  };
  return !words_.empty() && std::all_of(words_.begin(), words_.end(), among);
}

bool is_named(std::string_view label_value, std::int64_t memory_mib, std::string_view name) {
  return ProductName(name).means(ProductWords(label_value), memory_mib);
}

std::optional<std::int64_t> product_memory_mib(std::string_view label_value) {
  if (const Product* found = find_product(label_value); found != nullptr) {
    return found->memory_mib > 0 ? std::optional(found->memory_mib) : std::nullopt;
  }
  std::optional<std::int64_t> least;
  for (const Product* card : candidates(label_value)) {
    if (card->memory_mib > 0) least = std::min(least.value_or(card->memory_mib), card->memory_mib);
  }
  return least;
}

std::optional<std::int64_t> slice_memory_mib(std::string_view product_label,
                                             std::string_view profile) {
  std::optional<std::int64_t> least;
  visit_profiles(product_label, profile, [&least](const data::MigProfile& row) {
    const std::int64_t size = usable_mib(row);
    if (size > 0) least = std::min(least.value_or(size), size);
  });
  return least;
}

std::optional<std::int64_t> slices_per_gpu(std::string_view product_label,
                                           std::string_view profile) {
  std::optional<std::int64_t> least;
  visit_profiles(product_label, profile, [&least](const data::MigProfile& row) {
    const std::int64_t count = row.max_per_gpu;
    if (count > 0) least = std::min(least.value_or(count), count);
  });
  return least;
}

std::optional<int> slice_compute(std::string_view profile) {
  const std::string name = resource_spelling(profile);
  const auto parsed = parse_profile(name);
  return parsed ? std::optional(parsed->compute) : std::nullopt;
}

bool is_known_profile(std::string_view profile) {
  const std::string name = resource_spelling(profile);
  const auto names = data::mig_profile_names();
  return std::binary_search(names.begin(), names.end(), std::string_view(name));
}

std::span<const std::string_view> known_profiles() {
  return data::mig_profile_names();
}

}  // namespace berth::topology
