// Random well-typed expressions over the fixture's environment, the same for a seed.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace berth::rules::cel::testing {

/// Whether all that rules have may be used, or only what Kubernetes has too.
enum class Dialect { kRules, kKubernetes };

class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed, Dialect dialect = Dialect::kRules)
      : random_(seed), dialect_(dialect) {}

  std::string boolean(int depth) {
    if (depth <= 0) {
      return dialect_ == Dialect::kRules
                 ? pick({"true", "false", "workload.shared", "topology.fresh"})
                 : pick({"true", "false", "workload.shared", "workload.gpus > 1"});
    }
    switch (number(14)) {
      case 0:
        return "!" + bracketed(boolean(depth - 1));
      case 1:
        return bracketed(boolean(depth - 1)) + " && " + bracketed(boolean(depth - 1));
      case 2:
        return bracketed(boolean(depth - 1)) + " || " + bracketed(boolean(depth - 1));
      case 3:
        return integer(depth - 1) + relation() + integer(depth - 1);
      case 4:
        return text(depth - 1) + relation() + text(depth - 1);
      case 5:
        return text(depth - 1) + " in " + texts(depth - 1);
      case 6:
        return text(depth - 1) + " in object.metadata.labels";
      case 7:
        return texts(depth - 1) + pick({".exists(", ".all(", ".exists_one("}) + "x, " +
               pick({"x == ", "x.startsWith('n') || x < "}) + text(depth - 1) + ")";
      case 8:
        return "has(object.metadata." + pick({"labels", "annotations", "generateName"}) + ")";
      case 9:
        return text(depth - 1) + pick({".startsWith(", ".endsWith(", ".contains("}) +
               text(depth - 1) + ")";
      case 10:
        return text(depth - 1) + ".matches('" + pick({"^n", "[0-9]+", "o.*l$"}) + "')";
      case 11:
        return bracketed(boolean(depth - 1)) + " ? " + bracketed(boolean(depth - 1)) + " : " +
               bracketed(boolean(depth - 1));
      case 12:
        return dialect_ == Dialect::kRules
                   ? quantity() + relation() + quantity()
                   : quantity() + pick({".isGreaterThan(", ".isLessThan("}) + quantity() + ")";
      default:
        return bracketed(boolean(depth - 1)) + pick({" == ", " != "}) +
               bracketed(boolean(depth - 1));
    }
  }

  std::string integer(int depth) {
    if (depth <= 0) {
      return pick({"0", "1", "8", "-3", "9223372036854775807", "workload.gpus", "workload.pods",
                   "workload.totalGpus", "object.spec.priority",
                   dialect_ == Dialect::kRules ? "topology.free()" : "size(any.metadata)"});
    }
    switch (number(8)) {
      case 0:
        return bracketed(integer(depth - 1) + pick({" + ", " - ", " * ", " / ", " % "}) +
                         integer(depth - 1));
      case 1:
        return "size(" + text(depth - 1) + ")";
      case 2:
        return texts(depth - 1) + ".size()";
      case 3:
        return bracketed(bracketed(boolean(depth - 1)) + " ? " + integer(depth - 1) + " : " +
                         integer(depth - 1));
      case 4:
        return "int(" + text(depth - 1) + ")";
      case 5:
        return text(depth - 1) + ".indexOf(" + text(depth - 1) + ")";
      case 6:
        return "[" + integer(depth - 1) + ", " + integer(depth - 1) + "]" +
               pick({".sum()", ".max()", ".min()", "[0]", "[2]"});
      default:
        return integer(0);
    }
  }

  std::string text(int depth) {
    if (depth <= 0) {
      return pick({"''", "'nlp'", "'a-b-a'", "'12'", "workload.intent", "object.metadata.name",
                   "object.metadata.labels['team']", "object.metadata.labels.tier",
                   "object.metadata.labels.nope", "request.operation",
                   "object.metadata.labels.?team.orValue('none')",
                   "object.metadata.labels[?'nope'].orValue('none')", "any.kind"});
    }
    switch (number(8)) {
      case 0:
        return bracketed(text(depth - 1) + " + " + text(depth - 1));
      case 1:
        return "string(" + integer(depth - 1) + ")";
      case 2:
        return text(depth - 1) + pick({".upperAscii()", ".lowerAscii()", ".trim()"});
      case 3:
        return text(depth - 1) + ".replace('a', " + text(depth - 1) + ")";
      case 4:
        return texts(depth - 1) + ".join(" + pick({"", "'-'"}) + ")";
      case 5:
        return text(depth - 1) + ".substring(" + pick({"0", "1, 2", "3"}) + ")";
      case 6:
        return texts(depth - 1) + "[" + pick({"0", "1", "5"}) + "]";
      default:
        return text(0);
    }
  }

  std::string texts(int depth) {
    if (depth <= 0) {
      return pick({"['nlp', 'gold']", "['a']", "request.userInfo.groups",
                   "object.spec.containers.map(c, c.name)"});
    }
    switch (number(6)) {
      case 0:
        return "[" + text(depth - 1) + ", " + text(depth - 1) + "]";
      case 1:
        return text(depth - 1) + ".split('" + pick({"-", "", "l"}) + "')";
      case 2:
        return texts(depth - 1) + ".filter(y, " + pick({"y != 'a'", "size(y) > 2"}) + ")";
      case 3:
        return texts(depth - 1) + ".map(z, z + " + text(depth - 1) + ")";
      case 4:
        return texts(depth - 1) + pick({".distinct()", ".sort()", ".reverse()"});
      default:
        return bracketed(texts(depth - 1) + " + " + texts(depth - 1));
    }
  }

  std::string quantity() {
    if (dialect_ == Dialect::kKubernetes) {
      return pick({"quantity('18Gi')", "quantity('16Gi')", "quantity('0')", "quantity('500m')"});
    }
    return pick({"workload.gpuMemory", "quantity('16Gi')", "quantity('0')", "quantity('500m')",
                 "workload.gpuMemory.add(1)", "quantity('1k').sub(quantity('1'))"});
  }

 private:
  std::string relation() { return pick({" == ", " != ", " < ", " <= ", " > ", " >= "}); }
  std::string bracketed(const std::string& text) { return "(" + text + ")"; }
  std::size_t number(std::size_t below) { return random_() % below; }
  std::string pick(const std::vector<const char*>& from) { return from[number(from.size())]; }

  std::mt19937 random_;
  Dialect dialect_;
};

}  // namespace berth::rules::cel::testing
