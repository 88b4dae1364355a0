#include "kube/credentials.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using ::testing::HasSubstr;

using Files = std::map<std::string, std::string>;

ReadFile reads(const Files& files) {
  return [&files](const std::string& path) -> base::Result<std::string> {
    const auto at = files.find(path);
    if (at == files.end()) return base::Error{base::ErrorCode::kNotFound, path + ": no such file"};
    return at->second;
  };
}

std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\ncontexts:\n"
         "- name: other\n  context: {cluster: none, user: none}\n"
         "- name: here\n  context: {cluster: c, user: u}\n"
         "clusters:\n- name: c\n  cluster: {" +
         cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

TEST(Kubeconfig, ReadsTheCurrentContextAndTheFilesBesideIt) {
  const Files files = {
      {"/home/a/.kube/config",
       kubeconfig("server: 'https://api.example:6443/k8s/c1/', certificate-authority: pki/ca.crt, "
                  "tls-server-name: kubernetes",
                  "client-certificate: /abs/me.crt, client-key-data: S0VZ, tokenFile: token")},
      {"/home/a/.kube/pki/ca.crt", "CA"},
      {"/abs/me.crt", "CERT"},
      {"/home/a/.kube/token", "abc\n"}};
  const auto got = read_kubeconfig("/home/a/.kube/config", reads(files));
  ASSERT_TRUE(got.has_value()) << got.error().text;
  EXPECT_EQ(url_of(*got), "https://api.example:6443/k8s/c1");
  EXPECT_EQ(got->ca, "CA");
  EXPECT_EQ(got->tls_name, "kubernetes");
  EXPECT_EQ(got->certificate, "CERT");
  EXPECT_EQ(got->key, "KEY");
  EXPECT_EQ(got->bearer_token, "abc");
}

TEST(Kubeconfig, ReadsServersInAllSpellings) {
  struct Row {
    const char* server;
    const char* url;
  };
  for (const Row& row : {Row{"https://10.0.0.1", "https://10.0.0.1:443"},
                         Row{"https://[fd00::1]:6443", "https://[fd00::1]:6443"},
                         Row{"https://[fd00::1]", "https://[fd00::1]:443"},
                         Row{"http://127.0.0.1:8001", "http://127.0.0.1:8001"},
                         Row{"http://localhost/", "http://localhost:80"}}) {
    const Files files = {
        {"k", kubeconfig("server: '" + std::string(row.server) + "'", "token: t")}};
    const auto got = read_kubeconfig("k", reads(files));
    ASSERT_TRUE(got.has_value()) << got.error().text;
    EXPECT_EQ(url_of(*got), row.url);
  }
}

TEST(Kubeconfig, RefusesWhatItDoesNotDoAndSaysSo) {
  const std::string good = "server: 'https://a:1'";
  struct Row {
    std::string text;
    const char* says;
  };
  const std::vector<Row> table = {
      {kubeconfig(good, "exec: {command: aws, apiVersion: x}"),
       "user 'u' gets its credentials from the program 'aws' (exec), which berth does not run; "
       "expected token"},
      {kubeconfig(good, "auth-provider: {name: oidc}"), "auth-provider"},
      {kubeconfig(good, "username: me, password: secret"), "a name and a password"},
      {kubeconfig(good, "token: t, as: other"), "impersonates"},
      {kubeconfig(good + ", insecure-skip-tls-verify: true", "token: t"),
       "insecure-skip-tls-verify is refused"},
      {kubeconfig(good + ", proxy-url: 'http://p'", "token: t"), "proxy-url"},
      {kubeconfig("server: 'api:6443'", "token: t"), "server 'api:6443' is no URL"},
      {kubeconfig("server: 'https://a:port'", "token: t"), "server 'https://a:port' is no URL"},
      {kubeconfig("server: 'https://a:70000'", "token: t"), "is no URL"},
      {kubeconfig("server: 'https://'", "token: t"), "is no URL"},
      {kubeconfig("name: x", "token: t"), "server '' is no URL"},
      {kubeconfig(good + ", certificate-authority-data: '*'", "token: t"), "no Base64"},
      {kubeconfig(good + ", certificate-authority: ca", "token: t"), "ca: no such file"},
      {kubeconfig(good, "tokenFile: gone"), "gone: no such file"},
      {kubeconfig(good, "client-certificate-data: S0VZ"), "go together"},
      {"current-context: x\n", "current-context 'x' is not among contexts"},
      {"kind: Config\n", "no current-context"},
      {"current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n", "cluster 'c' is not"},
      {"- a list\n", "expected one document"},
      {"a: [\n", "k:"},
      {"", "expected one document"},
  };
  for (const Row& row : table) {
    const Files files = {{"k", row.text}};
    const auto got = read_kubeconfig("k", reads(files));
    ASSERT_FALSE(got.has_value()) << row.text;
    EXPECT_THAT(got.error().text, HasSubstr(row.says)) << row.text;
  }
}

TEST(Kubeconfig, InsecureFalseIsFine) {
  const Files files = {
      {"k", kubeconfig("server: 'https://a:1', insecure-skip-tls-verify: false", "token: t")}};
  EXPECT_TRUE(read_kubeconfig("k", reads(files)).has_value());
}

TEST(InCluster, ReadsTheServiceAccountAnew) {
  std::map<std::string, std::string> variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                  {"KUBERNETES_SERVICE_PORT", "443"}};
  const ReadVariable variable = [&](const char* name) { return variables[name]; };
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  Files files = {{folder + "ca.crt", "CA"}, {folder + "token", "one\n"}};
  EXPECT_TRUE(is_in_cluster(variable));
  EXPECT_EQ(read_in_cluster(variable, reads(files))->bearer_token, "one");
  files[folder + "token"] = "two";
  EXPECT_EQ(read_in_cluster(variable, reads(files))->bearer_token, "two");
  files[folder + "token"] = " \n";
  EXPECT_THAT(read_in_cluster(variable, reads(files)).error().text, HasSubstr("token is empty"));
  variables["KUBERNETES_SERVICE_PORT"] = "x";
  EXPECT_THAT(read_in_cluster(variable, reads(files)).error().text, HasSubstr("no address"));
  variables["KUBERNETES_SERVICE_HOST"] = "";
  EXPECT_FALSE(is_in_cluster(variable));
}

}  // namespace
}  // namespace berth::kube
