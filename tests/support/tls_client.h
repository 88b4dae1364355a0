// A TLS client for tests: blocking, over loopback, every wait bounded by a socket time limit of 20
// s (a bound against hanging, never a thing to measure).
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "certs/openssl_handles.h"

namespace berth::tests {

/// A TCP connection to a port of this machine, without TLS.
class TcpClient {
 public:
  explicit TcpClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{20, 0};
    const int on = 1;
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~TcpClient() { drop(); }
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  void drop() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  /// Closes so that the other side sees a reset.
  void reset() {
    const linger hard{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    drop();
  }

  void half_close() { shutdown(fd_, SHUT_WR); }
  bool send(std::string_view bytes) {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  /// True when the other side closes (orderly or by reset) before the time limit.
  bool sees_close() {
    char buffer[4096];
    while (true) {
      const ssize_t count = recv(fd_, buffer, sizeof buffer, 0);
      if (count == 0) return true;
      if (count < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
    }
  }

 private:
  int fd_;
  bool connected_ = false;
};

struct HttpReply {
  int status = 0;  ///< 0: the connection ended before a whole reply
  std::string head;
  std::string body;

  bool says(std::string_view line) const {
    return head.find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
  }
};

/// What the client offers, for tests of the handshake.
struct TlsOffer {
  std::string_view protocols = "\x08http/1.1";  ///< ALPN in wire form; empty: none
  int highest_version = 0;                      ///< 0: any
  std::string ca_pem = "";                      ///< not empty: verify against it, for "localhost"
};

class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, const TlsOffer& offer = {})
      : tcp_(port), context_(SSL_CTX_new(TLS_client_method())), tls_(nullptr) {
    if (offer.highest_version != 0) {
      SSL_CTX_set_max_proto_version(context_.get(), offer.highest_version);
      SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
      SSL_CTX_set_security_level(context_.get(), 0);
    }
    if (!offer.ca_pem.empty()) trust(offer.ca_pem);
    tls_.reset(SSL_new(context_.get()));
    if (!offer.protocols.empty()) {
      SSL_set_alpn_protos(tls_.get(),
                          reinterpret_cast<const unsigned char*>(offer.protocols.data()),
                          static_cast<unsigned>(offer.protocols.size()));
    }
    SSL_set_fd(tls_.get(), tcp_.fd());
    ready_ = tcp_.connected() && SSL_connect(tls_.get()) == 1;
  }

  bool ready() const { return ready_; }
  TcpClient& tcp() { return tcp_; }
  SSL* tls() { return tls_.get(); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const int count = SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// The next reply; its body by Content-Length.
  HttpReply receive() {
    HttpReply reply;
    std::size_t end = std::string::npos;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return {};
    }
    reply.head = input_.substr(0, end + 4);
    input_.erase(0, end + 4);
    reply.status = std::atoi(reply.head.c_str() + reply.head.find(' '));
    const std::size_t field = reply.head.find("Content-Length: ");
    const std::size_t size =
        field == std::string::npos ? 0 : std::strtoul(reply.head.c_str() + field + 16, nullptr, 10);
    while (input_.size() < size) {
      if (!fill()) return {};
    }
    reply.body = input_.substr(0, size);
    input_.erase(0, size);
    return reply;
  }

  HttpReply exchange(std::string_view request) {
    if (!send(request)) return {};
    return receive();
  }

  /// True when the server ends the connection before the time limit, sending nothing more.
  bool sees_end() {
    char byte = 0;
    const int count = SSL_read(tls_.get(), &byte, 1);
    if (count > 0) return false;
    return errno != EAGAIN || SSL_get_error(tls_.get(), count) != SSL_ERROR_WANT_READ;
  }

  std::string certificate_serial() {
    const certs::CertificatePtr peer(SSL_get1_peer_certificate(tls_.get()));
    const ASN1_INTEGER* serial = X509_get0_serialNumber(peer.get());
    return {reinterpret_cast<const char*>(serial->data), static_cast<std::size_t>(serial->length)};
  }

  std::string chosen_protocol() {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls_.get(), &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

 private:
  void trust(const std::string& ca_pem) {
    const certs::BioPtr bio = certs::read_only_bio(ca_pem);
    const certs::CertificatePtr ca(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca.get());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    X509_VERIFY_PARAM_set1_host(SSL_CTX_get0_param(context_.get()), "localhost", 0);
  }

  bool fill() {
    char buffer[16384];
    const int count = SSL_read(tls_.get(), buffer, sizeof buffer);
    if (count > 0) input_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  }

  TcpClient tcp_;
  certs::ContextPtr context_;
  certs::SessionPtr tls_;
  std::string input_;
  bool ready_ = false;
};

}  // namespace berth::tests
