#include "kube/http_transport.h"

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::kube {
namespace {

template <auto kFree>
struct Delete {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Delete<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Delete<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Delete<EVP_PKEY_free>>;

// A dead peer is noticed after about 15 + 3 * 10 seconds, also while nothing is sent.
constexpr int kKeepAliveIdleSeconds = 15;
constexpr int kKeepAliveStepSeconds = 10;
constexpr int kKeepAliveTries = 3;
constexpr unsigned kUnackedMilliseconds = 45'000;

Bio bio_over(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string openssl_reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

void set_number(int fd, int level, int name, int value) {
  setsockopt(fd, level, name, &value, sizeof value);
}

void set_socket_options(int fd) {
  set_number(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveStepSeconds);
  set_number(fd, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveTries);
  set_number(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(kUnackedMilliseconds));
}

// A second handle of the latest connection, so that another thread can end it: the number stays
// ours until one of the two sides takes it, so no foreign socket can be hit.
class SocketHandle {
 public:
  SocketHandle() = default;
  SocketHandle(const SocketHandle&) = delete;
  SocketHandle& operator=(const SocketHandle&) = delete;
  ~SocketHandle() {
    const int fd = fd_.exchange(-1);
    if (fd >= 0) close(fd);
  }
  void hold(int fd) {
    const int other = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    const int before = fd_.exchange(other);
    if (before >= 0) close(before);
  }
  void end_connection() {
    const int fd = fd_.exchange(-1);
    if (fd < 0) return;
    shutdown(fd, SHUT_RDWR);
    close(fd);
  }

 private:
  std::atomic<int> fd_{-1};
};

// What X509_verify_cert found, for the message.
int verify_and_note(X509_STORE_CTX* context, void* note) {
  const int good = X509_verify_cert(context);
  if (good != 1) *static_cast<int*>(note) = X509_STORE_CTX_get_error(context);
  return good;
}

base::Status use_authorities(SSL_CTX* context, const std::string& ca) {
  if (ca.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return base::Done{};
  }
  const Bio bio = bio_over(ca);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  while (const auto certificate =
             Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))) {
    X509_STORE_add_cert(store, certificate.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return base::invalid("the certificate authority is no PEM certificate");
  return base::Done{};
}

base::Status use_client_certificate(SSL_CTX* context, const Credentials& who) {
  if (who.certificate.empty()) return base::Done{};
  const Bio chain = bio_over(who.certificate);
  const Certificate leaf(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1)
    return base::invalid("the client certificate cannot be used: " + openssl_reason());
  while (X509* next = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add_extra_chain_cert(context, next);  // takes it over
  }
  ERR_clear_error();
  const Bio bio = bio_over(who.key);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return base::invalid("the client key cannot be used: " + openssl_reason());
  return base::Done{};
}

base::Status use_tls(SSL_CTX* context, const Credentials& who, int* verify_error) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // Strictly by OpenSSL, not by httplib: only these authorities, names never from the subject.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, verify_and_note, verify_error);
  X509_VERIFY_PARAM* wanted = SSL_CTX_get0_param(context);
  const std::string& name = who.tls_name.empty() ? who.host : who.tls_name;
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) != 1) {
    X509_VERIFY_PARAM_set_hostflags(
        wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), name.size());
  }
  ERR_clear_error();
  const base::Status authorities = use_authorities(context, who.ca);
  return authorities ? use_client_certificate(context, who) : authorities;
}

class HttpTransport : public Transport {
 public:
  HttpTransport(CredentialSource source, HttpTransportOptions options)
      : source_(std::move(source)), options_(std::move(options)) {}

  base::Status get(const HttpGet& request, const HttpReceiver& receiver,
                   const std::stop_token& stop) override {
    if (const base::Status ready = connect_as_of_now(); !ready) return ready.error();
    stop_ = stop;
    const std::stop_callback on_stop(stop, [this] { socket_.end_connection(); });
    client_->set_read_timeout(request.patience);
    bool enough = false;
    const auto said = [&](Reading reading) {
      enough = enough || reading == Reading::kEnough || stop.stop_requested();
      return !enough;
    };
    const auto result = client_->Get(
        who_->path_prefix + request.target, headers(request.packing),
        [&](const httplib::Response& head) { return said(receiver.head(head.status)); },
        [&](const char* bytes, std::size_t size) {
          return said(receiver.body({bytes, size}));
        });
    stop_ = {};
    if (enough) client_->stop();
    if (result || enough || stop.stop_requested()) return base::Done{};
    return base::Error{base::ErrorCode::kUnavailable, reason(result.error(), request)};
  }

  std::string server() const override { return who_ ? url_of(*who_) : "the API server"; }

 private:
  base::Status connect_as_of_now() {
    auto now = source_();
    if (!now) return now.error();
    if (client_ != nullptr && who_ == *now) return base::Done{};
    client_.reset();
    who_ = *std::move(now);
    if (who_->scheme == Credentials::Scheme::kHttps) {
      auto made = std::make_unique<httplib::SSLClient>(who_->host, who_->port);
      made->enable_server_certificate_verification(false);  // use_tls has OpenSSL do it
      if (const base::Status tls = use_tls(made->ssl_context(), *who_, &verify_error_); !tls)
        return tls.error();
      client_ = std::move(made);
    } else {
      client_ = std::make_unique<httplib::ClientImpl>(who_->host, who_->port);
    }
    client_->set_connection_timeout(options_.connect);
    client_->set_write_timeout(options_.connect);
    client_->set_keep_alive(true);
    client_->set_tcp_nodelay(true);
    client_->set_url_encode(false);
    client_->set_socket_options([this](int fd) {
      set_socket_options(fd);
      socket_.hold(fd);
      if (stop_.stop_requested()) socket_.end_connection();
    });
    return base::Done{};
  }

  httplib::Headers headers(Packing packing) const {
    const std::string url = url_of(*who_);
    const std::size_t start = url.find("//") + 2;
    httplib::Headers out = {{"Host", url.substr(start, url.find('/', start) - start)},
                            {"Accept", "application/json"},
                            {"Accept-Encoding", packing == Packing::kGzip ? "gzip" : "identity"},
                            {"User-Agent", options_.user_agent}};
    if (!who_->bearer_token.empty()) out.emplace("Authorization", "Bearer " + who_->bearer_token);
    return out;
  }

  std::string reason(httplib::Error error, const HttpGet& request) {
    const int verify = std::exchange(verify_error_, X509_V_OK);
    if (verify != X509_V_OK) {
      return std::string("the server's certificate is not accepted: ") +
             X509_verify_cert_error_string(verify);
    }
    switch (error) {
      case httplib::Error::Connection:
        return "cannot connect";
      case httplib::Error::ConnectionTimeout:
        return "cannot connect within " + std::to_string(options_.connect.count()) + " ms";
      case httplib::Error::SSLConnection:
        return "the TLS handshake failed: " + openssl_reason();
      case httplib::Error::Read:
        return "the connection ended, or was silent for " +
               std::to_string(request.patience.count()) + " ms, before the answer did";
      case httplib::Error::Success:
      case httplib::Error::Unknown:
      case httplib::Error::BindIPAddress:
      case httplib::Error::Write:
      case httplib::Error::ExceedRedirectCount:
      case httplib::Error::Canceled:
      case httplib::Error::SSLLoadingCerts:
      case httplib::Error::SSLServerVerification:
      case httplib::Error::UnsupportedMultipartBoundaryChars:
      case httplib::Error::Compression:
        break;
    }
    return "the request failed: " + httplib::to_string(error);
  }

  CredentialSource source_;
  HttpTransportOptions options_;
  SocketHandle socket_;
  std::stop_token stop_;
  std::optional<Credentials> who_;
  int verify_error_ = X509_V_OK;
  std::unique_ptr<httplib::ClientImpl> client_;  // its callbacks use what stands above
};

}  // namespace

std::unique_ptr<Transport> make_http_transport(CredentialSource source,
                                               const HttpTransportOptions& options) {
  return std::make_unique<HttpTransport>(std::move(source), options);
}

}  // namespace berth::kube
