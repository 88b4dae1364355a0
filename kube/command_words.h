// Command words: what a container runs, word by word, as the kubelet expands it and a shell splits
// it. Pure; views point into the container or the arena.
#pragma once

#include <string_view>
#include <vector>

#include "base/arena.h"
#include "kube/json.h"

namespace berth::kube {

/// The value of a variable of the container as far as the pod spells it: the last of that name
/// counts, as for the kubelet. Empty where it is absent or comes from elsewhere (valueFrom).
std::string_view variable_of(Json container, std::string_view name);

/// The last step of a path: "vllm" of "/usr/bin/vllm".
std::string_view base_name(std::string_view path);

/// Command and arguments. `$(NAME)` is replaced by the variable's value; a script behind `-c` of a
/// shell is split as the shell does (quotes, `$NAME`, `${NAME:-default}`; each end of a command is
/// a word ";" of its own). A reference that cannot be resolved stays as it stands, with its '$';
/// so do those beyond the first 1000 of a container, and beyond 64 KiB of values.
std::vector<std::string_view> command_words(Json container, base::Arena& arena);

}  // namespace berth::kube
