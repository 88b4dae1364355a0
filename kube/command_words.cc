#include "kube/command_words.h"

#include <algorithm>
#include <array>
#include <string>

namespace berth::kube {
namespace {

constexpr std::string_view kNameEnds = " \t\n\"'`$(){}[];|&<>/\\:.,=+-*?@#%^!~";
constexpr int kDeepest = 4;  // values may refer to variables before them
// Of one container: values that refer to each other could grow without end.
constexpr int kMostReferences = 1000;
constexpr std::size_t kMostBytesOfValues = std::size_t{64} * 1024;  // 64 KiB

bool is_shell(std::string_view word) {
  constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "ash", "dash", "zsh", "ksh"};
  return std::find(kShells.begin(), kShells.end(), base_name(word)) != kShells.end();
}

// "-c", "-ec", "-lc": the next word is a script.
bool asks_for_script(std::string_view word) {
  return word.size() >= 2 && word.front() == '-' && word[1] != '-' && word.back() == 'c';
}

class Words {
 public:
  Words(Json container, base::Arena& arena) : container_(container), arena_(arena) {}

  std::vector<std::string_view> read() {
    bool shell = false;
    bool script = false;
    for (const char* list : {"command", "args"}) {
      for (const Json& item : container_[list].items()) {
        const std::string_view text = expanded(item.string_or_empty(), 0);
        if (script) {
          split(text);
          shell = script = false;  // what follows are the script's own parameters
          continue;
        }
        shell = shell || is_shell(text);
        script = shell && asks_for_script(text);
        words_.push_back(text);
      }
    }
    return std::move(words_);
  }

 private:
  // The value of a variable; empty, too, where there were too many or too long ones before.
  std::string_view value_of(std::string_view name) {
    if (references_ == kMostReferences) return {};
    ++references_;
    const std::string_view value = variable_of(container_, name);
    if (value.size() > room_for_values_) return {};
    room_for_values_ -= value.size();
    return value;
  }

  // `$(NAME)` as the kubelet replaces it (k8s.io/kubernetes third_party/forked/golang/expansion).
  std::string_view expanded(std::string_view text, int depth) {
    if (text.find("$(") == std::string_view::npos || depth >= kDeepest) return text;
    std::string out;
    const std::size_t last = text.rfind(')');  // behind it no reference ends
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view rest = text.substr(at);
      if (rest.starts_with("$(") && last != text.npos && at < last) {
        const std::string_view reference = rest.substr(0, rest.find(')') + 1);
        const std::string_view value = value_of(reference.substr(2, reference.size() - 3));
        out += value.empty() ? reference : expanded(value, depth + 1);
        at += reference.size();
      } else if (rest.front() == '$') {
        out += '$';
        at += rest.starts_with("$$") ? 2 : 1;
      } else {
        const std::string_view plain = rest.substr(0, rest.find('$'));
        out += plain;
        at += plain.size();
      }
    }
    return arena_.copy(out);
  }

  // `$NAME` and `${NAME}` at the beginning of the script; appends the value and steps over it.
  void reference(std::string_view& script) {
    const bool braces = script.starts_with("${");
    const std::size_t start = braces ? 2 : 1;
    const std::size_t end = braces ? script.find('}') : script.find_first_of(kNameEnds, start);
    const std::size_t stop = std::min(end, script.size());
    std::string_view name = script.substr(start, stop - start);
    std::string_view fallback;
    const std::size_t colon = braces ? name.find(":-") : std::string_view::npos;
    if (colon != std::string_view::npos) {
      fallback = name.substr(colon + 2);
      name = name.substr(0, colon);
    }
    std::string_view value = expanded(value_of(name), 1);
    if (value.empty()) value = fallback;
    const std::size_t whole = braces && end != std::string_view::npos ? stop + 1 : stop;
    word_ += value.empty() ? script.substr(0, whole) : value;
    script.remove_prefix(whole);
    open_ = true;
  }

  void close() {
    if (open_) words_.push_back(arena_.copy(word_));
    word_.clear();
    open_ = false;
  }

  void separate() {
    close();
    if (!words_.empty() && words_.back() != ";") words_.push_back(";");
  }

  // Text in quotes, without them; a script that ends in a quote ends there.
  void quoted(std::string_view& script) {
    const char quote = script.front();
    script.remove_prefix(1);
    open_ = true;
    while (!script.empty() && script.front() != quote) {
      if (quote == '"' && script.front() == '$') {
        reference(script);
        continue;
      }
      if (quote == '"' && script.front() == '\\' && script.size() > 1) script.remove_prefix(1);
      word_ += script.front();
      script.remove_prefix(1);
    }
    if (!script.empty()) script.remove_prefix(1);
  }

  void split(std::string_view script) {
    while (!script.empty()) {
      const char c = script.front();
      if (c == '\'' || c == '"') {
        quoted(script);
      } else if (c == '$' && !script.starts_with("$(")) {
        reference(script);
      } else if (c == '#' && !open_) {
        script.remove_prefix(std::min(script.find('\n'), script.size()));
      } else {
        plain(c, script);
      }
    }
    separate();
  }

  void plain(char c, std::string_view& script) {
    script.remove_prefix(1);
    if (c == '\\') {
      if (script.empty()) return;
      if (script.front() != '\n') {
        word_ += script.front();
        open_ = true;
      }
      script.remove_prefix(1);
    } else if (c == ' ' || c == '\t' || c == '\r') {
      close();
    } else if (c == '\n' || c == ';' || c == '|' || c == '&') {
      separate();
    } else {
      word_ += c;
      open_ = true;
    }
  }

  Json container_;
  base::Arena& arena_;
  std::vector<std::string_view> words_;
  std::string word_;
  bool open_ = false;
  int references_ = 0;
  std::size_t room_for_values_ = kMostBytesOfValues;
};

}  // namespace

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view variable_of(Json container, std::string_view name) {
  const auto list = container["env"].items();
  const auto found = std::find_if(list.rbegin(), list.rend(), [&](const Json& variable) {
    return variable["name"].string_or_empty() == name;
  });
  return found == list.rend() ? std::string_view{} : (*found)["value"].string_or_empty();
}

std::vector<std::string_view> command_words(Json container, base::Arena& arena) {
  return Words(container, arena).read();
}

}  // namespace berth::kube
