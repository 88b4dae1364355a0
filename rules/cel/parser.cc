#include "rules/cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "rules/cel/compile.h"
#include "rules/cel/lexer.h"
#include "rules/cel/macros.h"

namespace berth::rules::cel {
namespace {

// Binding strength of the binary operators, weakest first.
enum Strength { kNone = 0, kOrStrength, kAndStrength, kRelation, kSum, kProduct };

struct BinaryRow {
  std::string_view symbol;
  Strength strength;
  Op op;
};

constexpr std::array<BinaryRow, 14> kBinary = {{
    {"||", kOrStrength, Op::kNot},
    {"&&", kAndStrength, Op::kNot},
    {"==", kRelation, Op::kEqual},
    {"!=", kRelation, Op::kNotEqual},
    {"<", kRelation, Op::kLess},
    {"<=", kRelation, Op::kAtMost},
    {">", kRelation, Op::kGreater},
    {">=", kRelation, Op::kAtLeast},
    {"in", kRelation, Op::kIn},
    {"+", kSum, Op::kAdd},
    {"-", kSum, Op::kSubtract},
    {"*", kProduct, Op::kMultiply},
    {"/", kProduct, Op::kDivide},
    {"%", kProduct, Op::kModulo},
}};

const BinaryRow* binary_row(const Token& token) {
  const bool word = token.is_name("in");
  if (token.kind != TokenKind::kSymbol && !word) return nullptr;
  const auto* row = std::find_if(kBinary.begin(), kBinary.end(),
                                 [&](const BinaryRow& r) { return r.symbol == token.text; });
  return row == kBinary.end() ? nullptr : row;
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end";
  if (token.kind == TokenKind::kString || token.kind == TokenKind::kBytes) return "a string";
  return "'" + std::string(token.text) + "'";
}

class Parser {
 public:
  Parser(std::string_view text, Ast& ast, std::vector<Diagnostic>& diagnostics)
      : text_(text), ast_(ast), diagnostics_(diagnostics), lexer_(text, ast.arena) {
    token_ = lexer_.next();
  }

  bool run();

 private:
  // Every parse function gives nullptr once a diagnostic has been added.
  Expr* expression();
  Expr* binary(Strength at_least);
  Expr* unary();
  Expr* postfix(Expr* operand);
  Expr* primary();
  Expr* name();
  Expr* number_literal(bool negative, std::uint32_t begin);
  Expr* literal(Value value);
  Expr* member(Expr* operand);
  Expr* index(Expr* operand);
  Expr* call(Expr* made, std::vector<Expr*> arguments);
  Expr* list();
  Expr* map();
  bool arguments(std::vector<Expr*>& out, std::string_view close);
  bool take(std::string_view symbol);

  Expr* make(ExprKind kind, std::uint32_t begin, std::uint32_t at,
             std::span<Expr* const> arguments);
  void set_items(Expr& expr, const std::vector<char>& marks);
  bool expect(std::string_view symbol, std::string_view where);
  void advance() {
    last_end_ = token_.end;
    token_ = lexer_.next();
  }
  Expr* fail(std::uint32_t begin, std::uint32_t end, std::string code, std::string text,
             std::string hint = {});
  Expr* unexpected(std::string_view wanted);

  std::string_view text_;
  Ast& ast_;
  std::vector<Diagnostic>& diagnostics_;
  Lexer lexer_;
  Token token_;
  std::uint32_t last_end_ = 0;
  int depth_ = 0;
};

Expr* Parser::fail(std::uint32_t begin, std::uint32_t end, std::string code, std::string text,
                   std::string hint) {
  diagnostics_.push_back(
      {base::Severity::kError, std::move(code), std::move(text), std::move(hint), begin, end});
  return nullptr;
}

Expr* Parser::unexpected(std::string_view wanted) {
  if (token_.kind == TokenKind::kError) {
    return fail(token_.begin, token_.end, "cel-syntax", std::string(token_.text));
  }
  return fail(token_.begin, token_.end, "cel-syntax",
              "expected " + std::string(wanted) + ", found " + describe(token_));
}

bool Parser::expect(std::string_view symbol, std::string_view where) {
  if (token_.is(symbol)) {
    advance();
    return true;
  }
  unexpected("'" + std::string(symbol) + "' " + std::string(where));
  return false;
}

Expr* Parser::make(ExprKind kind, std::uint32_t begin, std::uint32_t at,
                   std::span<Expr* const> arguments) {
  auto* expr = ast_.arena.make<Expr>();
  expr->kind = kind;
  expr->begin = begin;
  expr->end = last_end_;
  expr->at = at;
  expr->arguments = ast_.arena.copy(arguments);
  int height = 0;
  for (const Expr* argument : arguments) height = std::max(height, int{argument->height});
  expr->height = static_cast<std::uint16_t>(height + 1);
  if (height + 1 > kMaxNesting) {
    return fail(begin, last_end_, "cel-limit",
                "the expression is nested more than " + std::to_string(kMaxNesting) + " deep");
  }
  if (++ast_.nodes > kMaxNodes) {
    return fail(begin, last_end_, "cel-limit",
                "the expression has more than " + std::to_string(kMaxNodes) + " parts");
  }
  return expr;
}

bool Parser::run() {
  ast_.root = expression();
  if (ast_.root == nullptr) return false;
  if (token_.kind != TokenKind::kEnd) {
    unexpected(token_.is_name("and")  ? "an operator such as '&&'"
               : token_.is_name("or") ? "an operator such as '||'"
                                      : "an operator or the end");
    return false;
  }
  return true;
}

Expr* Parser::expression() {
  if (++depth_ > kMaxNesting) {
    return fail(token_.begin, token_.end, "cel-limit",
                "the expression is nested more than " + std::to_string(kMaxNesting) + " deep");
  }
  Expr* condition = binary(kOrStrength);
  if (condition != nullptr && token_.is("?")) {
    const auto at = token_.begin;
    advance();
    Expr* then = binary(kOrStrength);
    if (then == nullptr || !expect(":", "of the '?'")) return nullptr;
    Expr* otherwise = expression();
    if (otherwise == nullptr) return nullptr;
    const std::array<Expr*, 3> parts = {condition, then, otherwise};
    condition = make(ExprKind::kTernary, condition->begin, at, parts);
  }
  --depth_;
  return condition;
}

Expr* Parser::binary(Strength at_least) {
  Expr* left = unary();
  while (left != nullptr) {
    const BinaryRow* row = binary_row(token_);
    if (row == nullptr || row->strength < at_least) return left;
    const auto at = token_.begin;
    const auto tighter = static_cast<Strength>(row->strength + 1);
    if (row->strength == kOrStrength || row->strength == kAndStrength) {
      // a && b && c is one node of three.
      std::vector<Expr*> parts = {left};
      while (token_.is(row->symbol)) {
        advance();
        Expr* part = binary(tighter);
        if (part == nullptr) return nullptr;
        parts.push_back(part);
      }
      left = make(row->strength == kOrStrength ? ExprKind::kOr : ExprKind::kAnd, left->begin, at,
                  parts);
    } else {
      advance();
      Expr* right = binary(tighter);
      if (right == nullptr) return nullptr;
      const std::array<Expr*, 2> sides = {left, right};
      left = make(ExprKind::kOperator, left->begin, at, sides);
      if (left != nullptr) left->op = row->op;
    }
  }
  return left;
}

Expr* Parser::unary() {
  if (!token_.is("!") && !token_.is("-")) {
    Expr* operand = primary();
    return operand == nullptr ? nullptr : postfix(operand);
  }
  const Token sign = token_;
  const bool negative = sign.is("-");
  advance();
  if (negative && (token_.kind == TokenKind::kInt || token_.kind == TokenKind::kDouble)) {
    Expr* number = number_literal(true, sign.begin);
    return number == nullptr ? nullptr : postfix(number);
  }
  if (++depth_ > kMaxNesting) {
    return fail(sign.begin, sign.end, "cel-limit",
                "the expression is nested more than " + std::to_string(kMaxNesting) + " deep");
  }
  Expr* operand = unary();
  if (operand == nullptr) return nullptr;
  --depth_;
  const std::array<Expr*, 1> one = {operand};
  Expr* expr = make(ExprKind::kOperator, sign.begin, sign.begin, one);
  if (expr != nullptr) expr->op = negative ? Op::kNegate : Op::kNot;
  return expr;
}

Expr* Parser::postfix(Expr* operand) {
  while (operand != nullptr) {
    if (token_.is(".")) {
      operand = member(operand);
    } else if (token_.is("[")) {
      operand = index(operand);
    } else if (token_.is("{") &&
               (operand->kind == ExprKind::kName || operand->kind == ExprKind::kSelect)) {
      return fail(operand->begin, token_.end, "cel-unavailable",
                  "messages cannot be built in an expression",
                  "use the settings under 'then' to change the pod");
    } else {
      return operand;
    }
  }
  return nullptr;
}

Expr* Parser::member(Expr* operand) {
  advance();
  const bool optional = take("?");
  const Token field = token_;
  const bool plain = field.kind == TokenKind::kName && field.text != "in" && field.text != "true" &&
                     field.text != "false" && field.text != "null";
  if (!plain && field.kind != TokenKind::kQuoted) return unexpected("a field name behind '.'");
  advance();
  if (plain && !optional && token_.is("(")) {
    const std::array<Expr*, 1> one = {operand};
    Expr* made = make(ExprKind::kCall, operand->begin, field.begin, one);
    if (made == nullptr) return nullptr;
    made->name = field.text;
    made->receiver = true;
    return call(made, {operand});
  }
  const std::array<Expr*, 1> one = {operand};
  Expr* expr = make(ExprKind::kSelect, operand->begin, field.begin, one);
  if (expr == nullptr) return nullptr;
  expr->name = field.text;
  expr->optional = optional;
  return expr;
}

Expr* Parser::index(Expr* operand) {
  const auto at = token_.begin;
  advance();
  const bool optional = take("?");
  Expr* key = expression();
  if (key == nullptr || !expect("]", "behind the index")) return nullptr;
  const std::array<Expr*, 2> both = {operand, key};
  Expr* expr = make(ExprKind::kIndex, operand->begin, at, both);
  if (expr != nullptr) expr->optional = optional;
  return expr;
}

bool Parser::arguments(std::vector<Expr*>& out, std::string_view close) {
  advance();
  while (!token_.is(close)) {
    Expr* argument = expression();
    if (argument == nullptr) return false;
    out.push_back(argument);
    if (!token_.is(",")) break;
    advance();
    if (token_.is(close)) {
      unexpected("an argument behind ','");
      return false;
    }
  }
  return expect(close, "behind the arguments");
}

Expr* Parser::call(Expr* made, std::vector<Expr*> all) {
  if (!arguments(all, ")")) return nullptr;
  made->arguments = ast_.arena.copy(std::span<Expr* const>(all));
  made->end = last_end_;
  for (const Expr* argument : all) {
    made->height = std::max(made->height, static_cast<std::uint16_t>(argument->height + 1));
  }
  const Expr* error_at = made;
  const std::string error = expand_macro(ast_, *made, &error_at);
  if (!error.empty()) return fail(error_at->begin, error_at->end, "cel-syntax", error);
  return made;
}

Expr* Parser::primary() {
  const Token start = token_;
  switch (start.kind) {
    case TokenKind::kName:
      return name();
    case TokenKind::kInt:
    case TokenKind::kUint:
    case TokenKind::kDouble:
      return number_literal(false, start.begin);
    case TokenKind::kString:
      return literal(Value::string(start.text));
    case TokenKind::kBytes:
      return literal(Value::bytes(start.text));
    case TokenKind::kSymbol:
    case TokenKind::kEnd:
    case TokenKind::kError:
    case TokenKind::kQuoted:
      break;
  }
  if (start.is("(")) {
    advance();
    Expr* inside = expression();
    if (inside == nullptr || !expect(")", "to close the '('")) return nullptr;
    inside->begin = start.begin;  // so that its text has both brackets
    inside->end = last_end_;
    return inside;
  }
  if (start.is("[")) return list();
  if (start.is("{")) return map();
  if (start.is(".")) return name();
  return unexpected("a value");
}

Expr* Parser::literal(Value value) {
  const auto begin = token_.begin;
  advance();
  Expr* expr = make(ExprKind::kLiteral, begin, begin, {});
  if (expr != nullptr) expr->literal = value;
  return expr;
}

Expr* Parser::name() {
  const auto begin = token_.begin;
  const bool dot = token_.is(".");
  if (dot) advance();
  if (token_.kind != TokenKind::kName) return unexpected("a name");
  const Token word = token_;
  if (!dot) {
    if (word.text == "true") return literal(Value::boolean(true));
    if (word.text == "false") return literal(Value::boolean(false));
    if (word.text == "null") return literal(Value());
  }
  if (is_reserved(word.text) || word.text == "in" || word.text == "true" || word.text == "false" ||
      word.text == "null") {
    return fail(word.begin, word.end, "cel-syntax",
                "'" + std::string(word.text) + "' is a reserved word");
  }
  advance();
  Expr* expr = make(ExprKind::kName, begin, word.begin, {});
  if (expr == nullptr) return nullptr;
  expr->name = word.text;
  expr->leading_dot = dot;
  if (!token_.is("(")) return expr;
  expr->kind = ExprKind::kCall;
  return call(expr, {});
}

Expr* Parser::number_literal(bool negative, std::uint32_t begin) {
  const Token token = token_;
  std::string digits(token.text);
  Value value;
  bool fits = true;
  if (token.kind == TokenKind::kDouble) {
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    static_cast<void>(end);
    if (error == std::errc::result_out_of_range) number = std::strtod(digits.c_str(), nullptr);
    fits = std::isfinite(number);
    value = Value::real(negative ? -number : number);
  } else {
    if (token.kind == TokenKind::kUint) digits.pop_back();
    const bool hex = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
    const char* from = digits.data() + (hex ? 2 : 0);
    std::uint64_t number = 0;
    fits = std::from_chars(from, digits.data() + digits.size(), number, hex ? 16 : 10).ec ==
           std::errc();
    constexpr auto kLimit = std::uint64_t{1} << 63U;
    if (token.kind == TokenKind::kUint) {
      value = Value::unsigned_integer(number);
    } else {
      fits = fits && (negative ? number <= kLimit : number < kLimit);
      value = Value::integer(static_cast<std::int64_t>(negative ? 0 - number : number));
    }
  }
  if (!fits) {
    return fail(begin, token.end, "cel-syntax", "the number does not fit 64 bits");
  }
  Expr* expr = literal(value);
  if (expr != nullptr) expr->begin = expr->at = begin;
  return expr;
}

bool Parser::take(std::string_view symbol) {
  const bool there = token_.is(symbol);
  if (there) advance();
  return there;
}

void Parser::set_items(Expr& expr, const std::vector<char>& marks) {
  expr.optional_items = ast_.arena.make_array<bool>(marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) expr.optional_items[i] = marks[i] != 0;
}

Expr* Parser::list() {
  const auto begin = token_.begin;
  std::vector<Expr*> items;
  std::vector<char> marks;
  advance();
  while (!token_.is("]")) {
    marks.push_back(take("?") ? 1 : 0);
    Expr* item = expression();
    if (item == nullptr) return nullptr;
    items.push_back(item);
    if (!token_.is(",")) break;
    advance();
  }
  if (!expect("]", "to close the list")) return nullptr;
  Expr* expr = make(ExprKind::kList, begin, begin, items);
  if (expr != nullptr) set_items(*expr, marks);
  return expr;
}

Expr* Parser::map() {
  const auto begin = token_.begin;
  std::vector<Expr*> entries;
  std::vector<char> marks;
  advance();
  while (!token_.is("}")) {
    marks.push_back(take("?") ? 1 : 0);
    Expr* key = expression();
    if (key == nullptr || !expect(":", "behind the key")) return nullptr;
    Expr* value = expression();
    if (value == nullptr) return nullptr;
    entries.push_back(key);
    entries.push_back(value);
    if (!token_.is(",")) break;
    advance();
  }
  if (!expect("}", "to close the map")) return nullptr;
  Expr* expr = make(ExprKind::kMap, begin, begin, entries);
  if (expr != nullptr) set_items(*expr, marks);
  return expr;
}

}  // namespace

bool parse(std::string_view text, Ast& ast, std::vector<Diagnostic>& diagnostics) {
  if (text.size() > kMaxTextBytes) {
    diagnostics.push_back({base::Severity::kError,
                           "cel-limit",
                           "the expression has " + std::to_string(text.size()) +
                               " bytes, at most " + std::to_string(kMaxTextBytes) + " are allowed",
                           {},
                           0,
                           static_cast<std::uint32_t>(text.size())});
    return false;
  }
  return Parser(text, ast, diagnostics).run();
}

}  // namespace berth::rules::cel
