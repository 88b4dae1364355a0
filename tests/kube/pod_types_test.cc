#include "kube/pod_types.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(PodTypes, NamesTheFirstValueOfAnotherType) {
  struct Row {
    std::string pod, said;
  };
  const Row rows[] = {
      {"{'spec':{'containers':[{}]}}", ""},
      {"{'metadata':null,'spec':{'containers':[{'env':null}],'volumes':null}}", ""},
      {"{'spec':{'containers':[{'x':1}],'futureField':[{'a':5}]}}", ""},
      {"{'spec':{'containers':[{'resources':{'limits':{'cpu':1,'memory':'1Gi'}}}]}}", ""},
      {"{'metadata':{'labels':{'a':null}},'spec':{'containers':[{}]}}", ""},
      {"[]", " is array, expected object"},
      {"{}", "/spec is null, expected object"},
      {"{'spec':null}", "/spec is null, expected object"},
      {"{'spec':{}}", "/spec/containers is empty, expected at least one"},
      {"{'spec':{'containers':[]}}", "/spec/containers is empty, expected at least one"},
      {"{'spec':{'containers':{}}}", "/spec/containers is object, expected array"},
      {"{'spec':{'containers':[null]}}", "/spec/containers/0 is null, expected object"},
      {"{'spec':{'containers':[{},5]}}", "/spec/containers/1 is number, expected object"},
      {"{'spec':{'containers':[{'resources':{'limits':[]}}]}}",
       "/spec/containers/0/resources/limits is array, expected object"},
      {"{'spec':{'containers':[{'resources':{'limits':{'a/b':true}}}]}}",
       "/spec/containers/0/resources/limits/a~1b is bool, expected string or number"},
      {"{'metadata':{'labels':{'a':5}},'spec':{'containers':[{}]}}",
       "/metadata/labels/a is number, expected string"},
  };
  for (const Row& row : rows) {
    std::string text = row.pod;
    std::replace(text.begin(), text.end(), '\'', '"');
    base::Arena arena;
    EXPECT_EQ(wrong_type(*parse_json(text, arena)).value_or(""), row.said) << row.pod;
  }
}

TEST(PodTypes, KnowsTheFieldsOfASpec) {
  for (const char* name : {"activeDeadlineSeconds", "containers", "hostPID", "nodeSelector",
                           "setHostnameAsFQDN", "volumes", "workloadRef"}) {
    EXPECT_TRUE(spec_field_type(name)) << name;
  }
  EXPECT_EQ(spec_field_type("priority"), JsonType::kNumber);
  EXPECT_EQ(spec_field_type("tolerationz"), std::nullopt);
  EXPECT_EQ(spec_field_type(""), std::nullopt);
}

}  // namespace
}  // namespace berth::kube
