// Report: adds problems about one file, each with its place, its line and its parents in brackets.
// One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/problem.h"
#include "base/source_text.h"

namespace berth::rules {

class Report {
 public:
  /// Both must outlive this.
  Report(const base::SourceText& source, base::Problems& problems)
      : source_(source), problems_(problems) {}

  const base::SourceText& source() const { return source_; }

  /// The rule that is being read: "rule size-tiers/one-node"; empty outside of rules.
  void set_parent(std::string parent) { parent_ = std::move(parent); }
  const std::string& parent() const { return parent_; }
  /// The key of the parent that is being read: "placement".
  void set_key(std::string key) { key_ = std::move(key); }
  const std::string& key() const { return key_; }

  void error(std::size_t offset, std::string_view code, std::string text, std::string hint = {});
  void warning(std::size_t offset, std::string_view code, std::string text, std::string hint = {});

  /// Errors so far.
  std::size_t errors() const { return errors_; }

 private:
  void add(base::Severity severity, std::size_t offset, std::string_view code, std::string text,
           std::string hint);

  const base::SourceText& source_;
  base::Problems& problems_;
  std::string parent_;
  std::string key_;
  std::size_t errors_ = 0;
};

/// The word in single quotes, cut where it is long.
std::string in_quotes(std::string_view word);

}  // namespace berth::rules
