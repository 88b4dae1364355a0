// Reading what users name on the command line: files, folders of them, and '-' for standard input.
// Errors name the path and what the system said.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/problem.h"
#include "base/result.h"
#include "base/source_text.h"
#include "kube/json.h"

namespace berth::cli {

/// The whole text of a file; "-" reads standard input.
base::Result<base::SourceText> read_text(const std::string& path);

/// Files as they are, folders as their *.yaml, *.yml and *.json in order of name (not below;
/// entries that start with '.' are left out, as a mounted ConfigMap has them). What cannot be read
/// is a problem.
std::vector<base::SourceText> read_texts(std::span<const std::string> paths,
                                         base::Problems& problems);

/// An object of an input, with the place where it starts.
struct InputObject {
  kube::Json json;
  base::Place place;
  bool is_json = false;  ///< the text was JSON, not YAML
};

/// All objects of a text: JSON, or YAML documents; Lists are opened. The values live in the arena.
std::vector<InputObject> read_objects(const base::SourceText& text, base::Arena& arena,
                                      base::Problems& problems);

}  // namespace berth::cli
