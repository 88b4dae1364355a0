// PrecedenceBand: which precedences the rule files of one directory may have, so that whoever may
// write there cannot overrule others. In: the configuration's `precedenceBands` and the path of a
// file. Out: the band. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth::rules {

struct PrecedenceBand {
  std::string directory;  ///< last parts of a folder's path: "platform", "rules/platform"
  int from = 0;           ///< lowest precedence, inclusive
  int to = 1000;          ///< highest, inclusive

  bool holds(int precedence) const { return from <= precedence && precedence <= to; }
};

/// "500 to 1000, the band of directory 'platform'".
std::string to_text(const PrecedenceBand& band);

/// The band of a file: of the bands whose directory is the end of the path of the file's own folder
/// (whole parts only), that with the longest name. nullptr: none.
const PrecedenceBand* band_of(std::string_view file, std::span<const PrecedenceBand> bands);

}  // namespace berth::rules
