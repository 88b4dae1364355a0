// Where a character of a scalar stands in the file: quotes, escapes, folded lines and block scalars
// put it elsewhere than the value tells. Pure; part of base/yaml.
#pragma once

#include <cstddef>

#include "base/source_text.h"
#include "base/yaml.h"

namespace berth::base {

/// Byte offset in the source of the byte at `text_offset` in the scalar's text; of its first
/// character where the two cannot be brought together.
std::size_t source_offset(const SourceText& source, const YamlNode& scalar,
                          std::size_t text_offset);

}  // namespace berth::base
