#include "tests/e2e/certificates.h"

#include <utility>

#include <openssl/evp.h>

#include "tests/e2e/process.h"

namespace berth::e2e {
namespace {

using base::Done;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

Status openssl(std::vector<std::string> arguments) {
  const auto finished = run({"/usr/bin/openssl", std::move(arguments), {"PATH=/usr/bin:/bin"}});
  if (!finished) return finished.error();
  if (finished->status != 0) {
    return Error{ErrorCode::kUnavailable, "openssl ended with an error: " + finished->err};
  }
  return Done{};
}

std::vector<std::string> request(const KeyPair& pair, const std::string& common_name) {
  return {"req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:P-256",
          "-nodes",
          "-days",
          "7",
          "-subj",
          "/CN=" + common_name,
          "-keyout",
          pair.key.string(),
          "-out",
          pair.certificate.string()};
}

}  // namespace

Result<Authority> Authority::make(const std::filesystem::path& folder) {
  KeyPair pair{folder / "ca.crt", folder / "ca.key"};
  std::vector<std::string> arguments = request(pair, "end-to-end authority");
  arguments.insert(arguments.end(), {"-addext", "keyUsage=critical,keyCertSign,digitalSignature"});
  if (auto made = openssl(std::move(arguments)); !made) return made.error();
  return Authority(std::move(pair));
}

Result<KeyPair> Authority::issue(const std::string& name,
                                 const std::vector<std::string>& hosts) const {
  const std::filesystem::path folder = pair_.certificate.parent_path();
  KeyPair pair{folder / (name + ".crt"), folder / (name + ".key")};
  std::string names;
  for (const std::string& host : hosts) names += (names.empty() ? "" : ",") + host;
  std::vector<std::string> arguments = request(pair, name);
  arguments.insert(arguments.end(),
                   {"-CA", pair_.certificate.string(), "-CAkey", pair_.key.string(), "-addext",
                    "subjectAltName=" + names, "-addext", "basicConstraints=critical,CA:FALSE",
                    "-addext", "extendedKeyUsage=serverAuth"});
  if (auto made = openssl(std::move(arguments)); !made) return made.error();
  return pair;
}

std::string Authority::bundle() const {
  return base64(read_file(pair_.certificate));
}

Result<KeyPair> make_signing_keys(const std::filesystem::path& folder, const std::string& name) {
  KeyPair pair{folder / (name + ".pub"), folder / (name + ".key")};
  if (auto made = openssl({"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                           "-out", pair.key.string()});
      !made) {
    return made.error();
  }
  if (auto made =
          openssl({"pkey", "-in", pair.key.string(), "-pubout", "-out", pair.certificate.string()});
      !made) {
    return made.error();
  }
  return pair;
}

std::string base64(const std::string& bytes) {
  std::string encoded(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  encoded.resize(static_cast<std::size_t>(size));
  return encoded;
}

}  // namespace berth::e2e
