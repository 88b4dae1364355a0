// berth schema: JSON Schemas for editors, printed from the table that the loader itself reads.
#include "rules/schema.h"

#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/setup.h"

namespace berth::cli {

Run add_schema(CLI::App& app) {
  auto kind = std::make_shared<std::string>();
  app.add_option("KIND", *kind, "ruleset, ruletest or config")
      ->required()
      ->check(CLI::IsMember({"ruleset", "ruletest", "config"}));
  return [kind] {
    const auto which = *kind == "ruleset"    ? rules::SchemaKind::kRuleSet
                       : *kind == "ruletest" ? rules::SchemaKind::kRuleTest
                                             : rules::SchemaKind::kConfig;
    std::cout << rules::json_schema(which) << '\n';
    return kWell;
  };
}

}  // namespace berth::cli
