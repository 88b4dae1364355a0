// Reference: the keys of a file kind as Markdown, printed from the schema table, for `berth schema
// --format markdown` and docs/rules.md. Pure; any thread.
#pragma once

#include <string>

#include "rules/schema.h"

namespace berth::rules {

/// One section an object: what it is, and a table of its keys with what they take, their default
/// and meaning. For rule files also what
/// conditions see, and the table of problem codes.
std::string reference(SchemaKind kind);

}  // namespace berth::rules
