// berth schema: the keys of our files, printed from the table that the loader itself reads: JSON
// Schemas for editors, Markdown for people.
#include "rules/schema.h"

#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/setup.h"
#include "rules/reference.h"

namespace berth::cli {

Run add_schema(CLI::App& app) {
  auto kind = std::make_shared<std::string>();
  app.add_option("KIND", *kind, "ruleset, ruletest or config")
      ->required()
      ->check(CLI::IsMember({"ruleset", "ruletest", "config"}));
  auto format = std::make_shared<std::string>("json");
  app.add_option("--format", *format, "json (a JSON Schema) or markdown (a reference)")
      ->capture_default_str()
      ->check(CLI::IsMember({"json", "markdown"}));
  return [kind, format] {
    const auto which = *kind == "ruleset"    ? rules::SchemaKind::kRuleSet
                       : *kind == "ruletest" ? rules::SchemaKind::kRuleTest
                                             : rules::SchemaKind::kConfig;
    std::cout << (*format == "json" ? rules::json_schema(which) + '\n' : rules::reference(which));
    return kWell;
  };
}

}  // namespace berth::cli
