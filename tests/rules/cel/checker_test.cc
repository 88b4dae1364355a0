// Types of expressions, and what is said where they do not fit.
#include "rules/cel/checker.h"

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

TEST(Checker, FindsTheTypeOfTheResult) {
  const Row rows[] = {
      {"workload.gpus", "int"},
      {"workload.gpuMemory", "quantity"},
      {"workload.labels", "map(string, string)"},
      {"workload.labels['team']", "string"},
      {"workload.labels.team", "string"},
      {"workload.labels.?team", "optional(string)"},
      {"workload.labels.?team.orValue('')", "string"},
      {"workload.labels[?'team'].optMap(t, size(t))", "optional(int)"},
      {"topology.domains('rack')", "list(Domain)"},
      {"topology.domains('rack').map(d, d.name)", "list(string)"},
      {"topology.domains('rack').filter(d, d.free > 8)", "list(Domain)"},
      {"topology.domains('rack').map(d, {d.name: d.free})", "list(map(string, int))"},
      {"topology.free()", "int"},
      {"request.userInfo.groups", "list(string)"},
      {"object", "Pod"},
      {"object.spec.containers", "list(Container)"},
      {"object.spec.containers[0].resources.limits", "map(string, dyn)"},
      {"object.spec.containers.map(c, c.image)", "list(string)"},
      {"object.spec.tolerations.exists(t, t.key == 'x')", "bool"},
      {"object.spec.containers[0].ports[0].containerPort + 1", "int"},
      {"any.thing", "dyn"},
      {"[1, 2].map(x, string(x))", "list(string)"},
      {"[[1], []]", "list(list(int))"},
      {"{'a': [1u]}", "map(string, list(uint))"},
      {"{'a': 1}.transformMap(k, v, v + 1)", "map(string, int)"},
      {"['a', 'b'].transformList(i, v, i)", "list(int)"},
      {"[3, 1].sort().first().orValue(0)", "int"},
      {"[['b'], ['a']].sortBy(x, x[0])", "list(list(string))"},
      {"true ? 1 : 2", "int"},
      {"'a' + 'b'", "string"},
      {"duration('1h') + duration('1m')", "duration"},
      {"timestamp('2026-01-01T00:00:00Z') - timestamp('2025-01-01T00:00:00Z')", "duration"},
      {"math.greatest(1, 2)", "int"},
      {"math.greatest(1, 2.0)", "dyn"},
      {"quantity('1Gi').add(1)", "quantity"},
      {"'a-b'.split('-')", "list(string)"},
      {"type(1)", "type(int)"},
      {"cel.bind(x, [1], x[0])", "int"},
      {"optional.none()", "optional(dyn)"},
      {"dyn(1)", "dyn"},
  };
  Fixture fixture;
  for (const auto& row : rows) {
    const auto compiled = compile(row.text, fixture.environment);
    ASSERT_NE(compiled.program, nullptr) << row.text << "\n" << Fixture::problems(compiled);
    EXPECT_EQ(compiled.program->result_type(), row.wanted) << row.text;
    EXPECT_EQ(Fixture::problems(compiled), "") << row.text;
  }
}

TEST(Checker, SaysWhatIsWrongWhereAndWhatToDo) {
  const Row rows[] = {
      {"workload.totalGpu >= 32",
       "9: error: workload has no field 'totalGpu'; did you mean 'totalGpus'?"},
      {"request.userInfo.usrname == 'x'",
       "17: error: request.userInfo has no field 'usrname'; did you mean 'username'?"},
      {"topology.domains('rack').exists(d, d.nme == 'x')",
       "37: error: Domain has no field 'nme'; did you mean 'name'?"},
      {"topology.fit('rack')", "9: error: topology has no function 'fit'; did you mean 'fits'?"},
      {"topology.fits",
       "9: error: topology has no field 'fits'; it is a function: topology.fits(...)"},
      {"topology.fits(3)", "9: error: 'topology.fits' does not take (int); it is fits(level)"},
      {"topology.fits('racks')", "14: error: unknown level 'racks'; did you mean 'rack'?"},
      {"workload.intent == training",
       "19: error: unknown name 'training'; write 'training' in quotes if it is a text"},
      {"worklod.gpus > 1", "0: error: unknown name 'worklod'; did you mean 'workload'?"},
      {"variables.x > 3", "10: error: no variable 'x' is defined"},
      {"workload.gpus >= '8'",
       "0: error: '>=' does not take (int, string); write 8 without quotes"},
      {"workload.gpus >= 1.5", ""},
      {"workload.gpus + 1.5",
       "0: error: '+' does not take (int, double); convert with int() or double()"},
      {"workload.gpuMemory > '18Gi'",
       "0: error: '>' does not take (quantity, string); write quantity('18Gi')"},
      {"workload.labels.?team == 'nlp'",
       "0: error: '==' does not take (optional(string), string); take the value out with "
       "orValue(...)"},
      {"workload.shared || workload.gpus",
       "19: error: each side of '||' must be of type bool, this is int"},
      {"workload.gpus ? 1 : 2", "0: error: what is before '?' must be of type bool, this is int"},
      {"true ? 'a' : 2", "0: error: the two results of '?' differ in type: string and int"},
      {"workload.gpus.all(x, true)", "0: error: all() needs a list or a map, this is int"},
      {"[1].all(x, x)", "11: error: the condition of all() must be of type bool, this is int"},
      {"[1, 'a']",
       "4: error: the items of the list differ in type: int and string; convert them to one type, "
       "for example with string()"},
      {"workload.intent.foo", "16: error: a value of type string has no fields"},
      {"[1].foo",
       "4: error: a value of type list(int) has no fields; take an item as [0], or all of them "
       "with exists() or all()"},
      {"[1]['a']", "4: error: the index of a list(int) is of type int, this is string"},
      {"'abc'.substing(1)", "6: error: no function 'substing'; did you mean 'substring'?"},
      {"'abc'.substring('x')",
       "6: error: 'substring' of a string does not take (string); it is string.substring(int), "
       "string.substring(int, int)"},
      {"math.greatst(1, 2)", "5: error: no function 'math.greatst'; did you mean 'math.greatest'?"},
      {"cel.block([1], cel.index(0).a)",
       "4: error: 'cel.block' (blocks of an optimiser) is not available in rules\n"
       "19: error: no function 'cel.index'"},
      {"nope(1)", "0: error: no function 'nope'"},
      {"ip('1.2.3.4').family() == 4",
       "0: error: 'ip' (network addresses) is not available in rules"},
      {"url('http://a').getHost() == 'a'", "0: error: 'url' (URLs) is not available in rules"},
      {"isSemver('1.0.0')", "0: error: 'isSemver' (semantic versions) is not available in rules"},
      {"now() > timestamp(0)", "0: error: 'now' (the time of day) is not available in rules"},
      {"timestamp(0).getHours('Europe/Berlin') == 1",
       "22: error: 'Europe/Berlin' (named time zones) is not available in rules; give an offset "
       "such "
       "as '+01:00'"},
      {"authorizer.path('/x').check('get').allowed()",
       "0: error: 'authorizer' (authorization checks) is not available in rules"},
      {"object.spec.containers.exists(c, c.image.matches(c.name))",
       "49: error: the pattern of matches() must be constant; write it as a text, or as a variable "
       "that is one"},
      {"workload.intent.matches('(')", "24: error: invalid regular expression: missing ): ("},
      {"duration('5 minutes') > duration('1s')",
       "0: error: \"5 minutes\" is no duration; durations look like '90s' or '1h30m'"},
      {"quantity('18 GB') > workload.gpuMemory",
       "0: error: \"18 GB\" is no quantity; quantities look like '500m', '16Gi' or '2'"},
      {"workload.gpus > int('x')", "16: error: \"x\" is no int"},
      {"'%s of %d'.format([workload.intent])",
       "0: error: the format has more clauses than the list has items (1)"},
      {"'%s'.format([workload.intent, 1])", "0: error: the list has 2 items, the format uses 1"},
      {"'%d'.format([workload.intent])", "0: error: '%d' wants an int, item 1 is of type string"},
      {"'100% sure'.format([])",
       "0: error: '% sur' is no clause of a format; a percent sign is '%%'"},
      {"timestamp('yesterday') < timestamp(0)",
       "0: error: \"yesterday\" is no timestamp; timestamps look like '2026-01-31T08:00:00Z'"},
      {"workload.totalGpu > 1 && worklod.gpus > 1",
       "9: error: workload has no field 'totalGpu'; did you mean 'totalGpus'?\n"
       "25: error: unknown name 'worklod'; did you mean 'workload'?"},
  };
  const Fixture fixture;
  for (const auto& row : rows) {
    EXPECT_EQ(Fixture::problems(compile(row.text, fixture.environment)), row.wanted) << row.text;
  }
}

TEST(Checker, OnlyWarnsAboutThePodTable) {
  const Row rows[] = {
      {"object.spec.contaners.size() > 1",
       "12: warning: object.spec has no known field 'contaners'; did you mean 'containers'?"},
      {"object.spec.containers.all(c, c.imag != '')",
       "32: warning: Container has no known field 'imag'; did you mean 'image'?"},
      {"object.metadata.name > 3",
       "0: warning: '>' does not take (string, int), by the known fields of a pod; it fails, or is "
       "never true, when it is evaluated"},
      {"object.metadata.name && true",
       "0: warning: each side of '&&' must be of type bool, this is string"},
      {"object.metadata.name.foo == 1", "21: warning: a value of type string has no fields"},
      {"object.spec.nodeName == null", ""},
      {"object.spec.containers[0].resources.limits['nvidia.com/gpu'] > 0", ""},
      {"[object.metadata.name, 1] != []", ""},
  };
  const Fixture fixture;
  for (const auto& row : rows) {
    const auto compiled = compile(row.text, fixture.environment);
    EXPECT_NE(compiled.program, nullptr) << row.text;
    EXPECT_EQ(Fixture::problems(compiled), row.wanted) << row.text;
  }
}

TEST(Checker, ComparesTheResultWithWhatIsExpected) {
  const Fixture fixture;
  const auto problems = [&](const char* text, const char* expected) {
    return Fixture::problems(compile(text, fixture.environment, expected));
  };
  EXPECT_EQ(problems("workload.gpus > 1", "bool"), "");
  EXPECT_EQ(problems("workload.gpus", "bool"), "0: error: the result is of type int, wanted bool");
  EXPECT_EQ(problems("workload.gpuMemory", "string|quantity"), "");
  EXPECT_EQ(problems("workload.gpus > 1", "string|quantity"),
            "0: error: the result is of type bool, wanted string or quantity");
  EXPECT_EQ(problems("any.thing", "bool"), "");
  EXPECT_EQ(problems("object.metadata.name", "int"),
            "0: warning: the result is of type string, wanted int");
}

TEST(Checker, KnowsTheTypesOfComputedVariables) {
  Fixture fixture;
  const auto limit = compile("workload.gpus * 2", fixture.environment);
  fixture.environment.declare_computed("limit", limit.program, 0);
  EXPECT_EQ(Fixture::problems(compile("variables.limit > 'x'", fixture.environment)),
            "0: error: '>' does not take (int, string)");
  EXPECT_EQ(Fixture::problems(compile("variables.limt > 1", fixture.environment)),
            "10: error: no variable 'limt' is defined; did you mean 'limit'?");
}

TEST(Checker, ChecksWordsThroughConstantVariables) {
  Fixture fixture;
  fixture.environment.declare_computed("level", compile("'rak'", fixture.environment).program, 0);
  EXPECT_EQ(Fixture::problems(compile("topology.fits(variables.level)", fixture.environment)),
            "14: error: unknown level 'rak'; did you mean 'rack'?");
}

}  // namespace
}  // namespace berth::rules::cel
