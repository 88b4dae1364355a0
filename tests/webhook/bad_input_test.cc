// Requests that no API server sends: no review, no pod, odd encodings, too large, too deep. Never a
// crash, never a lost pod: 400 with a text that says what came, or the object unchanged.
#include <gmock/gmock.h>

#include "base/utf8.h"
#include "tests/support/memory_stream.h"
#include "tests/webhook/mutate_bench.h"

namespace berth::webhook {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string_view> kEverything = {kAnnotate, kLabel, kTolerate, kSetEnv,
                                                   kShm,      kSlice, kProduct,  kPriority};

/// The base review as text, with a raw JSON text in the place of a value.
std::string review_with(const std::string& path, const std::string& raw) {
  OtherJson review = base_review();
  review[OtherJson::json_pointer("/request/object" + path)] = "RAW";
  std::string text = review.dump();
  return text.replace(text.find("\"RAW\""), 5, raw);
}

struct Row {
  const char* why;
  std::string body;
  const char* said;
};

TEST(BadInput, BodyThatIsNoReviewIsRefusedWithTheReason) {  // I01, I02, I03, I08, I09, I10, I17
  const std::string review = base_review().dump();
  const std::string head = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview")";
  const Row rows[] = {
      {"no request", head + "}", "request is nothing, expected an object"},
      {"request null", head + R"(,"request":null})", "request is nothing"},
      {"request a list", head + R"(,"request":[]})", "request is array"},
      {"request a text", head + R"(,"request":"x"})", "request is 'x'"},
      {"empty", "", "empty body"},
      {"blank", "  \n", "AdmissionReview"},
      {"no JSON", "hello", "not valid JSON: expected a value at byte 0"},
      {"cut off", review.substr(0, review.size() / 2), "no AdmissionReview"},
      {"more behind it", review + " {}", "no AdmissionReview"},
      {"two reviews", review + review, "no AdmissionReview"},
      {"a byte order mark", "\xef\xbb\xbf" + review, "no AdmissionReview"},
      {"UTF-16", std::string("{\0\"\0", 4), "no AdmissionReview"},
      {"no uid", head + R"(,"request":{}})", "request.uid is nothing"},
      {"uid a number", head + R"(,"request":{"uid":1}})", "request.uid is number"},
      {"uid empty", head + R"(,"request":{"uid":""}})", "request.uid is ''"},
      {"uid null", head + R"(,"request":{"uid":null}})", "request.uid is nothing"},
      {"another version", R"({"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview"})",
       "apiVersion is 'admission.k8s.io/v2', expected 'admission.k8s.io/v1'"},
      {"deep lists", review_with("/metadata/annotations", std::string(100000, '[')),
       "nesting above 128 levels"},
      {"deep objects", std::string(100000, '{'), "no AdmissionReview"},
      {"deep and closed",
       review_with("/spec/x", std::string(100000, '[') + std::string(100000, ']')),
       "nesting above 128 levels"},
      {"a key twice", review_with("/spec/x", R"(1,"hostNetwork":false,"hostNetwork":true)"),
       "hostNetwork"},
      {"no UTF-8", review_with("/metadata/labels/app", "\"\xff\""), "UTF-8"},
      {"an overlong slash", review_with("/metadata/labels/app", "\"\xc0\xaf\""), "UTF-8"},
      {"half a pair", review_with("/metadata/labels/app", R"("\ud800")"), "no AdmissionReview"},
      {"a raw control character", review_with("/metadata/labels/app", "\"a\tb\""),
       "no AdmissionReview"},
  };
  const MutateBench bench(kEverything);
  for (const Row& row : rows) {
    const HttpReply reply = bench.send(row.body);
    EXPECT_EQ(reply.status, 400) << row.why;
    EXPECT_THAT(reply.text, HasSubstr(row.said)) << row.why;
    EXPECT_LT(reply.text.size(), 300U) << row.why;
    EXPECT_TRUE(base::is_utf8(reply.text)) << row.why;
  }
  EXPECT_THAT(bench.metrics(),
              HasSubstr("berth_bad_requests_total " + std::to_string(std::size(rows))));
  EXPECT_FALSE(bench.admit(base_review()).unchanged()) << "alive and well";
}

TEST(BadInput, ZeroCharactersAndPairsAreKept) {  // I10
  for (const char* text : {R"("a\u0000b")", R"("\ud83d\ude00")", R"("\u2028\uffff")"}) {
    const MutateBench bench(kEverything);
    const Admitted admitted = bench.admit_text(review_with("/metadata/labels/app", text));
    EXPECT_EQ(admitted.object["metadata"]["labels"]["app"], OtherJson::parse(text));
  }
}

TEST(BadInput, ObjectThatIsNoPodIsLeftAlone) {  // I04, I05
  const std::pair<const char*, const char*> rows[] = {
      {"", "null"},
      {"", "[]"},
      {"", "\"pod\""},
      {"", "{}"},
      {"/metadata", "null"},
      {"/metadata", "[]"},
      {"/metadata/labels", "[]"},
      {"/metadata/labels", R"({"app": 5})"},
      {"/metadata/annotations", "\"x\""},
      {"/metadata/annotations", R"({"a": {}})"},
      {"/spec", "null"},
      {"/spec", "\"x\""},
      {"/spec", "{}"},
      {"/spec/containers", "null"},
      {"/spec/containers", "{}"},
      {"/spec/containers", "[]"},
      {"/spec/containers", "[null]"},
      {"/spec/containers", "[\"main\"]"},
      {"/spec/containers/0/name", "5"},
      {"/spec/containers/0/image", "[]"},
      {"/spec/containers/0/env", "{}"},
      {"/spec/containers/0/env", "[5]"},
      {"/spec/containers/0/env", R"([{"name": "A", "value": 5}])"},
      {"/spec/containers/0/volumeMounts", "{}"},
      {"/spec/containers/0/resources", "[]"},
      {"/spec/containers/0/resources/limits", "[]"},
      {"/spec/containers/0/resources/limits", R"({"cpu": []})"},
      {"/spec/containers/0/resources/requests", "\"1\""},
      {"/spec/initContainers", "{}"},
      {"/spec/tolerations", "{}"},
      {"/spec/tolerations", "[5]"},
      {"/spec/volumes", "[[]]"},
      {"/spec/nodeSelector", "[]"},
      {"/spec/nodeSelector", R"({"a": true})"},
      {"/spec/affinity", "[]"},
      {"/spec/affinity", R"({"nodeAffinity": []})"},
      {"/spec/priority", "\"high\""},
      {"/spec/schedulerName", "5"},
  };
  const MutateBench bench(kEverything);
  EXPECT_THAT(bench.metrics(), HasSubstr("berth_malformed_pods_total 0\n"));
  for (const auto& [path, raw] : rows) {
    const Admitted admitted = bench.admit_text(review_with(path, raw));
    EXPECT_TRUE(admitted.unchanged()) << path << " " << raw << " " << admitted.patch;
    EXPECT_EQ(admitted.response["allowed"], true) << path << " " << raw;
  }
  const Admitted admitted = bench.admit_text(review_with("/spec/containers", "{}"));
  EXPECT_TRUE(admitted.warns("left as it is: /spec/containers is object, expected array"));
  EXPECT_THAT(bench.metrics(), Not(HasSubstr("berth_malformed_pods_total 0\n")));
}

TEST(BadInput, KeysAreTakenByTheirExactCase) {  // I19
  OtherJson review = base_review();
  review[kPod]["Spec"] = {{"hostNetwork", true}};
  review[kPod]["spec"]["Tolerations"] = "x";
  review["request"]["Object"] = nullptr;
  review["request"]["UID"] = "another";
  const Admitted admitted = MutateBench({kTolerate, kSetEnv}).admit(review);
  EXPECT_EQ(admitted.object["spec"]["tolerations"].size(), 3U);
  EXPECT_EQ(admitted.object["Spec"], review[kPod]["Spec"]);
  EXPECT_EQ(admitted.object["spec"]["Tolerations"], "x");
}

TEST(BadInput, LargestReviewsAreTakenLargerOnesRefused) {  // I06, I07
  OtherJson review = base_review();
  review["request"]["operation"] = "UPDATE";
  review[kPod]["metadata"]["annotations"] = {{"big", std::string(3100U * 1024, 'x')}};
  review["request"]["oldObject"] = review[kPod];
  const std::string body = review.dump();
  ASSERT_GT(body.size(), 6200U * 1000);
  const MutateBench bench(kEverything);
  const std::string head = "POST /mutate HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
  const auto play = [&](const std::string& fields, const std::string& sent) {
    tests::HttpBench server(bench.routes());
    server.stream().send(head + fields + "\r\n" + sent);
    server.run();
    return server.stream().received();
  };
  const std::string good = play("Content-Length: " + std::to_string(body.size()) + "\r\n", body);
  EXPECT_THAT(good.substr(0, 300), HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(good, HasSubstr("\"allowed\":true"));
  EXPECT_THAT(good, Not(HasSubstr("\"patch\"")));

  const std::string announced = play("Content-Length: 9437184\r\n", "{");
  EXPECT_THAT(announced, HasSubstr("HTTP/1.1 413 "));
  EXPECT_THAT(announced, HasSubstr("Connection: close\r\n"));
  std::string chunks;
  for (int i = 0; i < 10; ++i) chunks += "100000\r\n" + std::string(1U << 20U, ' ') + "\r\n";
  const std::string endless = play("Transfer-Encoding: chunked\r\n", chunks);
  EXPECT_THAT(endless, HasSubstr("HTTP/1.1 413 "));
  EXPECT_THAT(endless, HasSubstr("Connection: close\r\n"));
}

TEST(BadInput, DryRunGetsTheSameAnswer) {  // I12
  OtherJson review = base_review();
  const MutateBench bench(kEverything);
  const std::string real = bench.send(review.dump()).text;
  review["request"]["dryRun"] = true;
  EXPECT_EQ(bench.send(review.dump()).text, real);
  review["request"]["dryRun"] = "yes";
  EXPECT_EQ(bench.send(review.dump()).text, real) << "of another type: as if it were absent";
}

TEST(BadInput, WrongRequestsGetShortRefusalsAndNoRedirect) {  // I13, I16
  struct Call {
    const char* method;
    const char* path;
    const char* type;
    int status;
  };
  const Call calls[] = {
      {"GET", "/mutate", "", 405},
      {"PUT", "/mutate", "application/json", 405},
      {"POST", "/nope", "application/json", 404},
      {"POST", "/mutate/", "application/json", 404},
      {"POST", "//mutate", "application/json", 404},
      {"POST", "/mutate/../mutate", "application/json", 404},
      {"POST", "/Mutate", "application/json", 404},
      {"GET", "/", "", 404},
      {"POST", "/mutate", "text/plain", 415},
      {"POST", "/mutate", "", 415},
  };
  const MutateBench bench({kAnnotate});
  for (const Call& call : calls) {
    const HttpReply reply = bench.send(base_review().dump(), call.path, call.method, call.type);
    EXPECT_EQ(reply.status, call.status) << call.method << " " << call.path;
    EXPECT_LT(reply.text.size(), 200U) << reply.text;
    for (const auto& [name, value] : reply.headers) {
      EXPECT_TRUE(name == "Allow" && call.status == 405 && value == "POST") << name;
    }
  }
}

TEST(BadInput, WarningsFitWhatTheApiServerPassesOn) {  // I14
  std::string then = R"({warn: "first\nsecond\tthird \U0001F600 )" + std::string(3900, 'x') + "\"}";
  std::vector<std::string> texts(60, then);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].insert(8, std::to_string(i));
  const MutateBench bench(std::vector<std::string_view>(texts.begin(), texts.end()));
  const OtherJson response = bench.admit(base_review()).response;
  std::size_t total = 0;
  for (const std::string warning : response.at("warnings")) {
    EXPECT_TRUE(base::is_utf8(warning));
    EXPECT_LE(warning.size(), 120U + 3) << "120 characters, one of them of four bytes";
    for (const char c : warning) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << warning;
    total += warning.size();
  }
  EXPECT_GT(total, 0U);
  EXPECT_LE(total, 4096U);
}

TEST(BadInput, AuditKeysAndValuesAreWhatTheApiServerTakes) {  // I15
  const MutateBench bench({kAnnotate, "{annotations: {b: \"line\\nline\"}}"});
  const OtherJson audit = bench.admit(base_review()).response.at("auditAnnotations");
  for (const auto& [key, value] : audit.items()) {
    EXPECT_THAT(key, ::testing::MatchesRegex("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"));
    EXPECT_LE(key.size(), 63U);
    EXPECT_EQ(value.get<std::string>().find('\n'), std::string::npos) << value;
  }
}

TEST(BadInput, OldReviewsGetOldAnswers) {  // I17
  OtherJson review = base_review();
  review["apiVersion"] = "admission.k8s.io/v1beta1";
  EXPECT_FALSE(MutateBench({kAnnotate}).admit(review).unchanged());
}

TEST(BadInput, MetricsDoNotGrowWithNames) {  // I20
  const MutateBench bench({kAnnotate});
  OtherJson review = base_review();
  bench.send(review.dump());
  const auto lines = [&] {
    const std::string text = bench.metrics();
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = lines();
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "n" + std::to_string(i);
    review["request"]["namespace"] = name;
    review["request"]["kind"]["kind"] = i % 2 == 0 ? "Pod" : name;
    review["request"]["operation"] = i % 3 == 0 ? name : "CREATE";
    review[kPod]["metadata"]["ownerReferences"][0]["name"] = name;
    review[kPod]["metadata"]["ownerReferences"][0]["kind"] = name;
    bench.send(review.dump());
  }
  EXPECT_EQ(lines(), before);
}

TEST(BadInput, LogHoldsNoValuesOfThePod) {  // I21
  OtherJson review = base_review();
  review[kMain]["env"] = {{{"name", "TOKEN"}, {"value", "s3cret-of-a-user"}}};
  review[kMain]["args"] = {"--key=s3cret-of-a-user"};
  review[kPod]["metadata"]["annotations"] = {{"note", "s3cret-of-a-user"}};
  const MutateBench bench({kSetEnv, kAnnotate, "{env: {TOKEN: other-s3cret}}"});
  const std::string log = bench.log_of(review.dump());
  EXPECT_THAT(log, HasSubstr("review answered"));
  EXPECT_THAT(log, Not(HasSubstr("s3cret")));
  EXPECT_THAT(log, Not(HasSubstr("TOKEN")));
  EXPECT_LT(log.size(), 1000U);
}

TEST(BadInput, FailedSelfCheckIsAnsweredUnchanged) {  // A14
  base::Arena arena;
  const std::string text = base_review().dump();
  const Review review = *read_review(*kube::parse_json(text, arena));
  const Answer answer = fail_safe(review, "the patch does not apply");
  const rules::RuleSet rules;
  std::string out;
  append_reply(out, review, answer, rules, arena);
  const OtherJson response = OtherJson::parse(out).at("response");
  EXPECT_EQ(response.at("allowed"), true);
  EXPECT_EQ(response.at("uid"), base_review()["request"]["uid"]);
  EXPECT_FALSE(response.contains("patch") || response.contains("patchType"));
  EXPECT_EQ(response.at("warnings").size(), 1U);
  EXPECT_EQ(response.at("auditAnnotations").at("outcome"), "failed-safe");
}

}  // namespace
}  // namespace berth::webhook
