#include "base/yaml.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/utf8.h"
#include "base/yaml_hints.h"

namespace berth::base {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Ends the parse of a text: the problem is recorded already.
struct Stop {};

bool is_null_word(std::string_view text) {
  return text.starts_with("null") || text.starts_with("Null") || text.starts_with("NULL") ||
         text.starts_with("~");
}

// ------------------------------------------------------------------ words for syntax errors

struct Translation {
  const char* theirs;
  std::string_view ours;
};

const Translation kTranslations[] = {
    {YAML::ErrorMsg::END_OF_MAP, "this does not continue the mapping above it"},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "a '{' is not closed before this, or a ',' is missing"},
    {YAML::ErrorMsg::END_OF_SEQ, "this does not continue the list above it"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "a '[' is not closed before this, or a ',' is missing"},
    {YAML::ErrorMsg::MAP_VALUE, "a ':' cannot stand here"},
    {YAML::ErrorMsg::MAP_KEY, "a key cannot start here"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "a list item cannot start here"},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket that fits no opening one"},
    {YAML::ErrorMsg::EOF_IN_SCALAR, "a quoted text has no closing quote"},
    {YAML::ErrorMsg::DOC_IN_SCALAR, "a quoted text has no closing quote before the next document"},
    {YAML::ErrorMsg::INVALID_ESCAPE, "this escape is not known inside double quotes"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "a value cannot start with this character"},
    {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab cannot indent YAML"},
    {YAML::ErrorMsg::CHAR_IN_BLOCK, "only an indentation or a '-' or '+' may follow '|' or '>'"},
    {YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias names no anchor"},
};

std::string our_words(const std::string& theirs) {
  for (const Translation& entry : kTranslations) {
    if (theirs.starts_with(entry.theirs)) return std::string(entry.ours);
  }
  return "YAML syntax: " + theirs;
}

// ------------------------------------------------------------------ events to trees

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceText& source, std::size_t shift, Problems& problems,
              const YamlLimits& limits)
      : source_(source), shift_(shift), problems_(problems), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override;
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override;

  std::vector<YamlNode> take() { return std::move(documents_); }
  void problem(std::size_t offset, std::string code, std::string text, std::string hint);

 private:
  struct Frame {
    YamlNode node;
    bool is_key = false;   // stands where a key must stand: an error once it is closed
    bool has_key = false;  // a mapping whose next node is a value
    std::string key;
    std::size_t key_offset = 0;
  };

  std::size_t offset_of(const YAML::Mark& mark) const {
    return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)) + shift_,
                    source_.text().size());
  }
  std::string_view text_at(std::size_t offset) const {
    return std::string_view(source_.text()).substr(offset);
  }
  bool expects_key() const {
    return !stack_.empty() && stack_.back().node.is_mapping() && !stack_.back().has_key;
  }
  void open(const YAML::Mark& mark, YamlKind kind);
  void close();
  void attach(YamlNode node);
  void take_key(std::size_t offset, const std::string& text);
  void count(std::size_t offset);
  void refuse_tag(std::size_t offset);
  void check_separated(std::size_t offset);
  void report_duplicates(const YamlNode& mapping);

  const SourceText& source_;
  std::size_t shift_;  // bytes before the text that the parser sees
  Problems& problems_;
  const YamlLimits& limits_;
  std::vector<Frame> stack_;
  std::vector<YamlNode> documents_;
  std::optional<std::size_t> last_start_;
  std::size_t nodes_ = 0;
  bool spoilt_ = false;    // the current document has holes
  bool anchored_ = false;  // reported once a document
};

void TreeBuilder::problem(std::size_t offset, std::string code, std::string text,
                          std::string hint) {
  Problem made = problem_at(source_, offset, std::move(code), std::move(text));
  made.hint = std::move(hint);
  problems_.add(std::move(made));
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  const std::size_t offset = offset_of(mark);
  if (last_start_ && offset <= *last_start_) {  // the parser would report it for ever
    problem(offset, "syntax", "a value cannot start with this character",
            quote_hint(source_.line(source_.place_at(offset).line)));
    throw Stop{};
  }
  if (last_start_) check_separated(offset);
  last_start_ = offset;
  spoilt_ = anchored_ = false;
}

/// A document behind another needs `---` before it.
void TreeBuilder::check_separated(std::size_t offset) {
  if (text_at(offset).starts_with("---")) return;
  for (int line = source_.place_at(offset).line - 1; line > 0; --line) {
    const auto text = trimmed(source_.line(line));
    if (text.empty() || text.starts_with('#')) continue;
    if (text.starts_with("...")) return;
    break;
  }
  problem(offset, "syntax", "text behind the end of the document",
          quote_hint(source_.line(source_.place_at(offset).line)));
  throw Stop{};
}

void TreeBuilder::OnDocumentEnd() {
  if (spoilt_ && !documents_.empty()) documents_.pop_back();
}

void TreeBuilder::count(std::size_t offset) {
  if (++nodes_ <= limits_.nodes) return;
  problem(offset, "too-large", "more than " + std::to_string(limits_.nodes) + " values", {});
  throw Stop{};
}

void TreeBuilder::refuse_tag(std::size_t offset) {
  const auto line = source_.line(source_.place_at(offset).line);
  problem(offset, "syntax", "tags such as '!name' are not supported", std::string(tag_hint(line)));
  spoilt_ = true;
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t) {
  std::size_t offset = offset_of(mark);
  count(offset);
  if (expects_key()) {
    problem(offset, "syntax", "a key is missing before ':'", "a key 'null' needs quotes");
    take_key(offset, "null");
    return;
  }
  YamlNode node;
  if (!is_null_word(text_at(offset)) && !stack_.empty()) {  // nothing is written: name what asks
    const Frame& top = stack_.back();
    offset = top.has_key ? top.key_offset : source_.text().rfind('-', offset > 0 ? offset - 1 : 0);
    if (offset == std::string::npos) offset = top.node.offset;
  }
  node.offset = offset;
  attach(std::move(node));
}

void TreeBuilder::OnAnchor(const YAML::Mark& mark, const std::string& name) {
  if (anchored_) return;
  anchored_ = true;
  const std::size_t offset = offset_of(mark);
  const bool condition = quote_hint(source_.line(source_.place_at(offset).line)) != "";
  problem(offset, "alias", "anchors and aliases are not supported, here '" + name + "'",
          condition && !text_at(offset).starts_with("& ") ? "write the value out" : "");
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  const std::size_t offset = offset_of(mark);
  count(offset);
  if (!anchored_) problem(offset, "alias", "aliases are not supported", "write the value out");
  anchored_ = spoilt_ = true;
  if (expects_key()) {
    take_key(offset, {});
    return;
  }
  YamlNode node;
  node.offset = offset;
  attach(std::move(node));
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                           const std::string& value) {
  const std::size_t offset = offset_of(mark);
  count(offset);
  const char first = offset < source_.text().size() ? source_.text()[offset] : '\0';
  if (first == '!') refuse_tag(offset);
  if ((first == '"' || first == '\'') &&  // the parser takes the end of the file for a quote
      end_of_quoted(source_.text(), offset) == std::string_view::npos) {
    problem(offset, "syntax", "a quoted text has no closing quote", {});
    throw Stop{};
  }
  if (expects_key()) {
    take_key(offset, value);
    return;
  }
  YamlNode node;
  node.kind = YamlKind::kScalar;
  node.offset = offset;
  node.plain = tag == "?";
  node.block = !node.plain && (first == '|' || first == '>');
  node.text = value;
  attach(std::move(node));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                                  YAML::EmitterStyle::value) {
  open(mark, YamlKind::kSequence);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                             YAML::EmitterStyle::value) {
  open(mark, YamlKind::kMapping);
}

void TreeBuilder::OnMapEnd() {
  report_duplicates(stack_.back().node);
  close();
}

void TreeBuilder::open(const YAML::Mark& mark, YamlKind kind) {
  const std::size_t offset = offset_of(mark);
  count(offset);
  if (text_at(offset).starts_with('!')) refuse_tag(offset);
  if (stack_.size() >= limits_.depth) {
    problem(offset, "too-large",
            "nested deeper than " + std::to_string(limits_.depth) + " lists and mappings", {});
    throw Stop{};
  }
  const bool as_key = expects_key();
  Frame& frame = stack_.emplace_back();
  frame.is_key = as_key;
  frame.node.kind = kind;
  frame.node.offset = offset;
}

void TreeBuilder::close() {
  if (stack_.back().is_key) {
    const std::size_t offset = stack_.back().node.offset;
    problem(offset, "syntax", "a key must be a text, not a list or a mapping",
            quote_hint(source_.line(source_.place_at(offset).line)));
    throw Stop{};
  }
  YamlNode node = std::move(stack_.back().node);
  stack_.pop_back();
  attach(std::move(node));
}

void TreeBuilder::attach(YamlNode node) {
  if (stack_.empty()) {
    documents_.push_back(std::move(node));
    return;
  }
  Frame& top = stack_.back();
  if (top.node.is_sequence()) {
    top.node.items.push_back(std::move(node));
    return;
  }
  top.node.members.push_back({std::move(top.key), top.key_offset, std::move(node)});
  top.has_key = false;
}

void TreeBuilder::take_key(std::size_t offset, const std::string& text) {
  Frame& top = stack_.back();
  if (text == "<<" && text_at(offset).starts_with("<<")) {
    if (!anchored_) problem(offset, "alias", "merge keys are not supported", "write the keys out");
    anchored_ = spoilt_ = true;
  }
  top.has_key = true;
  top.key = text;
  top.key_offset = offset;
}

/// Reports each key that stands twice, and keeps what came first.
void TreeBuilder::report_duplicates(const YamlNode& mapping) {
  const auto& members = mapping.members;
  std::vector<std::pair<std::string_view, std::size_t>> keys;
  keys.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) keys.emplace_back(members[i].key, i);
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].first != keys[i - 1].first) continue;
    const Place first = source_.place_at(members[keys[i - 1].second].key_offset);
    Problem made = problem_at(source_, members[keys[i].second].key_offset, "duplicate-key",
                              "key '" + std::string(keys[i].first) +
                                  "' stands twice, first in line " + std::to_string(first.line));
    made.also.push_back(first);
    problems_.add(std::move(made));
  }
}

// ------------------------------------------------------------------ before and around the parser

/// Bytes that no YAML text may have; the parser would replace or misread them.
bool has_bad_bytes(const SourceText& source, Problems& problems) {
  const std::string& text = source.text();
  if (const auto bad = first_bad_utf8(text)) {
    problems.add(problem_at(source, *bad, "syntax", "not valid UTF-8"));
    return true;
  }
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
           c == 0x7F;
  });
  if (control == text.end()) return false;
  problems.add(problem_at(source, static_cast<std::size_t>(control - text.begin()), "syntax",
                          "a control character (byte " +
                              std::to_string(static_cast<unsigned char>(*control)) +
                              ") cannot stand in YAML"));
  return true;
}

void add_parser_problem(const SourceText& source, std::size_t shift,
                        const YAML::Exception& exception, Problems& problems) {
  const bool placed = exception.mark.pos >= 0 && exception.mark.line >= 0;
  const std::size_t offset =
      placed ? static_cast<std::size_t>(exception.mark.pos) + shift : source.text().size();
  Problem made = problem_at(source, offset, "syntax", our_words(exception.msg));
  const int line = made.place.line;
  for (const int near : {line, line - 1}) {
    if (!is_indented_by_tab(source.line(near))) continue;
    const auto text = source.line(near);
    made = problem_at(source, source.offset_of(near, static_cast<int>(text.find('\t')) + 1),
                      "syntax", "a tab cannot indent YAML");
    made.hint = "use spaces";
    problems.add(std::move(made));
    return;
  }
  for (const int near : {line, line - 1}) {
    if (made.hint = quote_hint(source.line(near)); !made.hint.empty()) break;
  }
  problems.add(std::move(made));
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::vector<YamlNode> parse_yaml(const SourceText& source, Problems& problems,
                                 const YamlLimits& limits) {
  if (has_bad_bytes(source, problems)) return {};
  const std::size_t shift = source.text().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::istringstream stream(source.text().substr(shift));
  TreeBuilder builder(source, shift, problems, limits);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {  // recorded where it was thrown
  } catch (const YAML::DeepRecursion& exception) {
    builder.problem(static_cast<std::size_t>(std::max(exception.mark.pos, 0)) + shift, "too-large",
                    "nested deeper than " + std::to_string(limits.depth) + " lists and mappings",
                    {});
  } catch (const YAML::Exception& exception) {
    add_parser_problem(source, shift, exception, problems);
  }
  return builder.take();
}

}  // namespace berth::base
