// Functions that the public conformance cases do not cover: Kubernetes' own, lists, sets, regular
// expressions, quantities; and what they say where they fail.
#include "rules/cel/library.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/rules/cel/fixture.h"

namespace berth::rules::cel {
namespace {

using testing::Fixture;

struct Row {
  const char* text;
  const char* wanted;
};

void check(std::span<const Row> rows) {
  Fixture fixture;
  for (const auto& row : rows) EXPECT_EQ(fixture.run(row.text), row.wanted) << row.text;
}

TEST(Library, Quantities) {
  const Row rows[] = {
      {"quantity('1Gi') == quantity('1024Mi')", "true"},
      {"quantity('200M').compareTo(quantity('0.2G'))", "0"},
      {"quantity('50M').compareTo(quantity('50Mi'))", "-1"},
      {"quantity('150Mi').isGreaterThan(quantity('100Mi'))", "true"},
      {"quantity('50Mi').isLessThan(quantity('50M'))", "false"},
      {"quantity('50k').asInteger()", "50000"},
      {"quantity('1500m').isInteger()", "false"},
      {"quantity('1500m').asInteger()", "the quantity is not a whole number of 64 bits"},
      {"quantity('1500m').asApproximateFloat()", "1.5"},
      {"quantity('50k').add(quantity('20k')) == quantity('70k')", "true"},
      {"quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", "true"},
      {"sign(quantity('-1'))", "-1"},
      {"quantity('0').sign()", "0"},
      {"quantity('16Gi') < workload.gpuMemory && workload.gpuMemory <= quantity('18Gi')", "true"},
      {"workload.gpuMemory >= quantity('18432Mi')", "true"},
      {"workload.gpuMemory != quantity('18Gi')", "false"},
      {"isQuantity('1.3Gi') && !isQuantity('1,3G') && !isQuantity('Three')", "true"},
      {"quantity(any.metadata.name)", "invalid quantity 'train-0'"},
      {"quantity(string(any.spec.containers[0].resources.limits.cpu)) == quantity('16')", "true"},
      {"string(quantity('512Mi'))", "\"512Mi\""},
      {"type(quantity('1'))", "kubernetes.Quantity"},
  };
  check(rows);
}

TEST(Library, Lists) {
  const Row rows[] = {
      {"[1, 3, 2].sum() == 6 && [1u].sum() == 1u && [1.5, 1.0].sum() == 2.5", "true"},
      {"[duration('1h'), duration('1m')].sum()", "duration(\"3660s\")"},
      {"[1].filter(x, x > 1).sum()", "0"},
      {"[1.0].filter(x, x > 1.0).sum()", "0"},
      {"type([1.0].filter(x, x > 1.0).sum())", "double"},
      {"[9223372036854775807, 1].sum()", "integer overflow"},
      {"['b', 'a'].min() + ['b', 'a'].max()", "\"ab\""},
      {"[1].filter(x, x > 1).max()", "the list is empty"},
      {"[1, 2, 2].isSorted() && ![2, 1].isSorted() && [true].isSorted()", "true"},
      {"[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(3) == -1",
       "true"},
      {"[1, 2, 3, 4].slice(1, 3)", "[2, 3]"},
      {"[1, 2].slice(1, 3)", "invalid start or end"},
      {"[1, 2].slice(-1, 1)", "must not be negative"},
      {"[1, 2].slice(2, 1)", "invalid start or end"},
      {"[[1, 2], [], [3]].flatten()", "[1, 2, 3]"},
      {"[[[1], [2]], [[3]]].flatten(2)", "[1, 2, 3]"},
      {"[[1]].flatten(-1)", "must not be negative"},
      {"[3, 1, 2].sort()", "[1, 2, 3]"},
      {"['b', 'a'].sort()", "[\"a\", \"b\"]"},
      {"dyn([1, 2]).sort()", "[1, 2]"},
      {"dyn([[1], [2]]).sort()", "the items do not compare"},
      {"['ccc', 'a', 'bb', 'd'].sortBy(x, size(x))", "[\"a\", \"d\", \"bb\", \"ccc\"]"},
      {"[1, 2, 1, 3, 2].distinct()", "[1, 2, 3]"},
      {"[1, 2, 3].reverse()", "[3, 2, 1]"},
      {"lists.range(4)", "[0, 1, 2, 3]"},
      {"lists.range(-1)", "must not be negative"},
      {"[7, 8].first().value() + [7, 8].last().value()", "15"},
      {"[1].filter(x, x > 1).first().hasValue()", "false"},
      {"[optional.of(1), optional.none(), optional.of(3)].unwrapOpt()", "[1, 3]"},
  };
  check(rows);
}

TEST(Library, Sets) {
  const Row rows[] = {
      {"sets.contains([1, 2, 3], [3, 1])", "true"},
      {"sets.contains([1], [1, 2])", "false"},
      {"sets.contains([1], [])", "true"},
      {"sets.equivalent([1, 1, 2], [2, 1])", "true"},
      {"sets.equivalent([1], [1, 2])", "false"},
      {"sets.intersects(['a', 'b'], ['b', 'c'])", "true"},
      {"sets.intersects(request.userInfo.groups, [])", "false"},
  };
  check(rows);
}

TEST(Library, RegularExpressions) {
  const Row rows[] = {
      {"'registry/train:v1.2'.matches('v[0-9]+')", "true"},
      {"'abc'.matches('^b')", "false"},
      {"matches('abc', 'b')", "true"},
      {"'abc 123 de 45'.find('[0-9]+')", "\"123\""},
      {"'abc'.find('[0-9]+')", "\"\""},
      {"'abc 123 de 45'.findAll('[0-9]+')", "[\"123\", \"45\"]"},
      {"'123 abc 456'.findAll('[0-9]+', 1)", "[\"123\"]"},
      {"'123 abc 456'.findAll('[0-9]+', 0)", "[]"},
      {"'abc'.findAll('[0-9]+')", "[]"},
      {"'\u00e9a\u00e9'.findAll('\u00e9')", "[\"\u00e9\", \"\u00e9\"]"},
      {"'baaac'.findAll('a*')", "[\"\", \"aaa\", \"\"]"},
      {"any.metadata.name.matches('^train-[0-9]$')", "true"},
      {"any.spec.priority.matches('a')", "no such overload"},
  };
  check(rows);
}

TEST(Library, Time) {
  const Row rows[] = {
      {"timestamp('2026-01-31T08:00:00+01:00')", "timestamp(\"2026-01-31T07:00:00Z\")"},
      {"timestamp('2026-02-29T00:00:00Z' + '')", "invalid timestamp"},
      {"timestamp('2026-01-31T08:00:00Z').getHours('+05:30')", "13"},
      {"timestamp('2026-01-31T08:00:00Z').getHours('Europe/' + workload.intent)",
       "time zones are offsets such as '+02:00', or 'UTC'"},
      {"duration('1h30m').getMinutes()", "90"},
      {"duration('1.5h') == duration('90m')", "true"},
      {"duration('-1m') < duration('1ms')", "true"},
      {"timestamp('2026-01-31T08:00:00Z') + duration('36h') > timestamp('2026-02-01T19:59:59Z')",
       "true"},
      {"string(timestamp('2026-01-31T08:00:00.250Z') - timestamp('2026-01-31T07:59:59Z'))",
       "\"1.25s\""},
      {"int(timestamp('1970-01-02T00:00:00Z'))", "86400"},
  };
  check(rows);
}

TEST(Library, OptionalsEvaluateTheirDefaultOnlyWhenNeeded) {
  const Row rows[] = {
      {"optional.of(1).orValue(1 / 0)", "1"},
      {"optional.of(1).or(optional.of(1 / 0)).value()", "1"},
      {"optional.none().orValue(1 / 0)", "divide by zero"},
      {"any.?nope.?deeper.orValue('none')", "\"none\""},
      {"any.metadata.?name.orValue('none')", "\"train-0\""},
      {"any.metadata.?labels.team.orValue('none')", "\"nlp\""},
      {"any.metadata.?labels.optMap(l, size(l)).orValue(0)", "3"},
      {"optional.none().value()", "optional.none() has no value"},
      {"[?any.?nope, ?any.?kind]", "[\"Pod\"]"},
  };
  check(rows);
}

TEST(Library, Texts) {
  const Row rows[] = {
      {"'a,b,,c'.split(',')", "[\"a\", \"b\", \"\", \"c\"]"},
      {"'a,b,c'.split(',', 2)", "[\"a\", \"b,c\"]"},
      {"'abc'.split('')", "[\"a\", \"b\", \"c\"]"},
      {"''.split(',')", "[\"\"]"},
      {"'aXbXc'.replace('X', '-', 1)", "\"a-bXc\""},
      {"'ab'.replace('', '-')", "\"-a-b-\""},
      {"'\u00e9t\u00e9'.size() == 3 && size(bytes('\u00e9')) == 2", "true"},
      {"'\u00e9t\u00e9'.substring(1)", "\"t\u00e9\""},
      {"'%s: %d of %.1f%%'.format(['gpus', workload.gpus, 12.5])", "\"gpus: 8 of 12.5%\""},
      {"'%d'.format([dyn('x')])", "invalid format"},
      {"base64.encode(b'gpu')", "\"Z3B1\""},
      {"string(base64.decode('Z3B1'))", "\"gpu\""},
      {"base64.decode('?')", "invalid base64"},
      {"strings.quote('a\"b')", "\"\\\"a\\\\\\\"b\\\"\""},
      {"int('12') + int('-3')", "9"},
      {"int(any.kind)", "the text does not convert"},
      {"string(1.0)", "\"1\""},
      {"double('1e3')", "1000"},
  };
  check(rows);
}

TEST(Library, HasASignatureForEveryRow) {
  // A row whose signature does not parse would stop the program at its first use.
  for (const auto name : Library::get().names()) {
    for (const auto& overload : Library::get().find(name)) {
      EXPECT_FALSE(overload.signature.name.empty());
      EXPECT_LE(overload.signature.parameters.size(), 4U) << name;
    }
  }
  EXPECT_EQ(Library::unavailable("cidr"), "network addresses");
  EXPECT_EQ(Library::unavailable("size"), "");
}

}  // namespace
}  // namespace berth::rules::cel
