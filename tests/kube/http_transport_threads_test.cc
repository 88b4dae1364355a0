#include <atomic>
#include <ctime>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "certs/self_signed.h"
#include "kube/http_transport.h"

namespace berth::kube {
namespace {

using namespace std::chrono_literals;
using certs::make_self_signed;
using ::testing::HasSubstr;

certs::SelfSigned pair_for(const std::string& name) {
  return *make_self_signed({.names = {name}, .now = std::time(nullptr)});
}

int accept_any(X509_STORE_CTX*, void*) {
  return 1;
}

// An API server of a few paths, over TLS; it asks for client certificates and takes any.
class TlsApi {
 public:
  explicit TlsApi(const std::string& name) : pair(pair_for(name)) {
    server_ =
        std::make_unique<httplib::SSLServer>([this](SSL_CTX& context) { return use(context); });
    server_->set_tcp_nodelay(true);
    server_->Get("/who", [this](const httplib::Request& request, httplib::Response& answer) {
      X509* peer = SSL_get1_peer_certificate(request.ssl);
      answer.set_content(request.get_header_value("Authorization") + "|" +
                             request.get_header_value("Host") + "|" +
                             (peer == nullptr ? "nobody" : "certificate"),
                         "text/plain");
      X509_free(peer);
      ++requests;
    });
    server_->Get("/big", [](const httplib::Request& request, httplib::Response& answer) {
      accepts_gzip = request.get_header_value("Accept-Encoding") == "gzip";
      answer.set_content("[" + std::string(200'000, ' ') + "]", "application/json");
    });
    server_->Get("/watch", [this](const httplib::Request&, httplib::Response& answer) {
      answer.set_chunked_content_provider("application/x-lines",
                                          [this](std::size_t, httplib::DataSink& sink) {
                                            sink.write("{}\n", 3);
                                            ended.get_future().wait();
                                            sink.done();
                                            return true;
                                          });
    });
    port = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
  }
  ~TlsApi() {
    server_->stop();
    thread_.join();
  }
  TlsApi(const TlsApi&) = delete;
  TlsApi& operator=(const TlsApi&) = delete;

  Credentials credentials() const {
    Credentials out;
    out.host = "127.0.0.1";
    out.port = port;
    out.ca = pair.ca_pem;
    return out;
  }

  certs::SelfSigned pair;
  int port = 0;
  std::atomic<int> requests{0};
  std::promise<void> ended;
  static inline std::atomic<bool> accepts_gzip{false};

 private:
  bool use(SSL_CTX& context) const {
    BIO* bio = BIO_new_mem_buf(pair.leaf_pem.data(), -1);
    X509* leaf = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    bio = BIO_new_mem_buf(pair.key_pem.data(), -1);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    const bool good =
        SSL_CTX_use_certificate(&context, leaf) == 1 && SSL_CTX_use_PrivateKey(&context, key) == 1;
    X509_free(leaf);
    EVP_PKEY_free(key);
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(&context, accept_any, nullptr);
    return good;
  }

  std::unique_ptr<httplib::SSLServer> server_;
  std::thread thread_;
};

struct Got {
  base::Status done = base::Done{};
  int status = 0;
  std::string body;
};
Got get(Transport& transport, const std::string& target, std::chrono::milliseconds patience = 5s) {
  Got got;
  got.done = transport.get({target, patience},
                           {.head =
                                [&](int status) {
                                  got.status = status;
                                  return Reading::kGoOn;
                                },
                            .body =
                                [&](std::string_view piece) {
                                  got.body += piece;
                                  return Reading::kGoOn;
                                }},
                           {});
  return got;
}

TEST(HttpTransport, ShowsTokenAndCertificateAsTheyAreNow) {
  TlsApi api("127.0.0.1");
  Credentials who = api.credentials();
  who.bearer_token = "one";
  const auto transport = make_http_transport([&] { return who; });
  const std::string host = "|127.0.0.1:" + std::to_string(api.port);
  EXPECT_EQ(get(*transport, "/who").body, "Bearer one" + host + "|nobody");
  who.bearer_token = "two";
  const auto me = pair_for("client.test");
  who.certificate = me.leaf_pem + me.ca_pem;
  who.key = me.key_pem;
  EXPECT_EQ(get(*transport, "/who").body, "Bearer two" + host + "|certificate");
  who.bearer_token.clear();
  EXPECT_EQ(get(*transport, "/who").body, host + "|certificate");
  EXPECT_EQ(get(*transport, "/nothing").status, 404);
  EXPECT_EQ(transport->server(), "https://127.0.0.1:" + std::to_string(api.port));
}

TEST(HttpTransport, UnpacksGzip) {
  TlsApi api("127.0.0.1");
  const auto transport = make_http_transport([&] { return api.credentials(); });
  const Got got = get(*transport, "/big");
  EXPECT_TRUE(TlsApi::accepts_gzip);
  EXPECT_EQ(got.body.size(), 200'002U);
}

TEST(HttpTransport, TrustsOnlyTheGivenAuthorityAndTheRightName) {
  TlsApi api("api.test");  // not the name that it is called by
  Credentials who = api.credentials();
  const auto transport = make_http_transport([&] { return who; });
  Got got = get(*transport, "/who");
  ASSERT_FALSE(got.done.has_value());
  EXPECT_THAT(got.done.error().text, HasSubstr("certificate is not accepted: IP address mismatch"));
  who.tls_name = "api.test";
  EXPECT_TRUE(get(*transport, "/who").done.has_value());
  who.tls_name = "other.test";
  EXPECT_THAT(get(*transport, "/who").done.error().text, HasSubstr("hostname mismatch"));
  who.tls_name = "api.test";
  who.ca = pair_for("other.test").ca_pem;
  EXPECT_THAT(get(*transport, "/who").done.error().text, HasSubstr("certificate is not accepted"));
  who.ca = "no PEM";
  EXPECT_THAT(get(*transport, "/who").done.error().text, HasSubstr("no PEM certificate"));
  EXPECT_EQ(api.requests, 1);
}

TEST(HttpTransport, RefusesAKeyOfAnotherCertificate) {
  TlsApi api("127.0.0.1");
  Credentials who = api.credentials();
  who.certificate = pair_for("a.test").leaf_pem;
  who.key = pair_for("b.test").key_pem;
  const auto transport = make_http_transport([&] { return who; });
  EXPECT_THAT(get(*transport, "/who").done.error().text,
              HasSubstr("client key cannot be used: key values mismatch"));
}

TEST(HttpTransport, SaysThatNobodyListens) {
  Credentials who;
  {
    TlsApi api("127.0.0.1");
    who = api.credentials();
  }
  const auto transport = make_http_transport([&] { return who; });
  const Got got = get(*transport, "/who");
  ASSERT_FALSE(got.done.has_value());
  EXPECT_THAT(got.done.error().text, HasSubstr("cannot connect"));
}

TEST(HttpTransport, NoticesSilence) {
  TlsApi api("127.0.0.1");
  const auto transport = make_http_transport([&] { return api.credentials(); });
  const Got got = get(*transport, "/watch", 50ms);
  api.ended.set_value();
  ASSERT_FALSE(got.done.has_value());
  EXPECT_EQ(got.body, "{}\n");
  EXPECT_THAT(got.done.error().text, HasSubstr("silent for 50 ms"));
}

TEST(HttpTransport, AStopEndsASilentWatchAtOnce) {
  TlsApi api("127.0.0.1");
  const auto transport = make_http_transport([&] { return api.credentials(); });
  std::stop_source stop;
  std::promise<void> first;
  std::thread stopper([&] {
    first.get_future().wait();
    stop.request_stop();
  });
  const base::Status done = transport->get({"/watch", 60s},
                                           {.head = [](int) { return Reading::kGoOn; },
                                            .body =
                                                [&](std::string_view) {
                                                  first.set_value();
                                                  return Reading::kGoOn;
                                                }},
                                           stop.get_token());
  stopper.join();
  api.ended.set_value();
  EXPECT_TRUE(done.has_value());
}

}  // namespace
}  // namespace berth::kube
