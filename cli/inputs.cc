#include "cli/inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/yaml.h"
#include "kube/json_yaml.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

base::Problem unreadable(const std::string& path, const std::string& why) {
  base::Problem problem;
  problem.code = "unreadable";
  problem.place.file = path;
  problem.text = "cannot be read: " + why;
  return problem;
}

bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension();
  return !path.filename().string().starts_with('.') &&
         (extension == ".yaml" || extension == ".yml" || extension == ".json");
}

std::vector<std::string> files_of(const std::string& path, base::Problems& problems) {
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (is_manifest(at->path()) && !fs::is_directory(at->path(), ignored))
      files.push_back(at->path());
  }
  if (error) problems.add(unreadable(path, error.message()));
  std::sort(files.begin(), files.end());
  if (files.empty() && !error)
    problems.add(unreadable(path, "the folder has no *.yaml, *.yml or *.json file"));
  return files;
}

bool looks_like_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
}

void open_lists(const InputObject& input, std::vector<InputObject>& out) {
  const kube::Json items = input.json["items"];
  const std::string_view kind = input.json["kind"].string_or_empty();
  if (kind.ends_with("List") && items.is_array()) {
    for (kube::Json item : items.items()) open_lists({item, input.place, input.is_json}, out);
  } else {
    out.push_back(input);
  }
}

}  // namespace

base::Result<base::SourceText> read_text(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return base::SourceText("stdin", std::move(text).str());
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return base::Error{base::ErrorCode::kInvalid, "is a folder, expected a file"};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return base::Error{base::ErrorCode::kNotFound, std::strerror(errno != 0 ? errno : EIO)};
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  return base::SourceText(path, std::move(text).str());
}

std::vector<base::SourceText> read_texts(std::span<const std::string> paths,
                                         base::Problems& problems) {
  std::vector<base::SourceText> out;
  for (const std::string& path : paths) {
    for (const std::string& file : files_of(path, problems)) {
      auto text = read_text(file);
      if (text) {
        out.push_back(std::move(*text));
      } else {
        problems.add(unreadable(file, text.error().text));
      }
    }
  }
  return out;
}

std::vector<InputObject> read_objects(const base::SourceText& text, base::Arena& arena,
                                      base::Problems& problems) {
  std::vector<InputObject> out;
  if (looks_like_json(text.text())) {
    if (const auto json = kube::parse_json(text.text(), arena)) {
      open_lists({*json, {text.name(), 1, 1}, true}, out);
      return out;
    } else if (text.text().find("\n---") == std::string::npos) {
      problems.add(problem_at(text, 0, "syntax", json.error().text));
      return out;
    }
  }
  for (const base::YamlNode& document : base::parse_yaml(text, problems)) {
    if (document.is_null()) continue;
    open_lists({kube::to_json(document, arena), text.place_at(document.offset), false}, out);
  }
  return out;
}

}  // namespace berth::cli
