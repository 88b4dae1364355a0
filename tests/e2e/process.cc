#include "tests/e2e/process.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace berth::e2e {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Forks and executes with the three standard streams given. Only calls that are safe between fork
/// and exec of a program with threads stand in the child's branch.
Result<pid_t> spawn(const Command& command, int in, int out, int err) {
  std::vector<std::string> words = {command.program.string()};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = command.environment;
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(environment);
  if (access(argv[0], X_OK) != 0) {
    return Error{ErrorCode::kNotFound, "no program at '" + words[0] + "'"};
  }
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return Error{ErrorCode::kUnavailable, "fork failed for '" + words[0] + "'"};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    setpgid(0, 0);  // an interrupt from the keyboard ends the tests, which then end the child
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  return child;
}

int memory_file(const std::string& content) {
  const int file = memfd_create("e2e", MFD_CLOEXEC);
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = write(file, content.data() + written, content.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

std::string content_of(int file) {
  std::string content;
  char buffer[65536];
  lseek(file, 0, SEEK_SET);
  ssize_t count = read(file, buffer, sizeof buffer);
  while (count > 0) {
    content.append(buffer, static_cast<std::size_t>(count));
    count = read(file, buffer, sizeof buffer);
  }
  return content;
}

int status_from(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/// A descriptor that becomes readable when the process ends. By number: the C library's own header
/// for it cannot be used from C++.
int open_handle(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

bool wait_for_end(int handle, std::chrono::milliseconds limit) {
  pollfd waiting{handle, POLLIN, 0};
  return poll(&waiting, 1, static_cast<int>(limit.count())) == 1;
}

}  // namespace

Result<Finished> run(const Command& command, std::chrono::seconds limit) {
  const int in = memory_file(command.input);
  const int out = memory_file("");
  const int err = memory_file("");
  auto close_all = [&] {
    for (int file : {in, out, err}) close(file);
  };
  const Result<pid_t> child = spawn(command, in, out, err);
  if (!child) {
    close_all();
    return child.error();
  }
  const int handle = open_handle(*child);
  const bool ended = wait_for_end(handle, limit);
  if (!ended) kill(*child, SIGKILL);
  close(handle);
  int wait_status = 0;
  waitpid(*child, &wait_status, 0);
  Finished finished{status_from(wait_status), content_of(out), content_of(err)};
  close_all();
  if (!ended) {
    return Error{ErrorCode::kExpired, "'" + command.program.string() + "' did not end within " +
                                          std::to_string(limit.count()) + " s: " + finished.err};
  }
  return finished;
}

Process::Process(pid_t pid) : pid_(pid), handle_(open_handle(pid)) {}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      handle_(std::exchange(other.handle_, -1)),
      status_(other.status_) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(handle_, other.handle_);
  std::swap(status_, other.status_);
  return *this;
}

Process::~Process() {
  stop(std::chrono::seconds(10));
  if (handle_ >= 0) close(handle_);
}

Result<Process> Process::start(const Command& command, const std::filesystem::path& log) {
  const int in = memory_file(command.input);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (out < 0) {
    close(in);
    return Error{ErrorCode::kUnavailable, "cannot write the log '" + log.string() + "'"};
  }
  const Result<pid_t> child = spawn(command, in, out, out);
  close(in);
  close(out);
  if (!child) return child.error();
  return Process(*child);
}

bool Process::collect(int options) {
  if (pid_ < 0) return true;
  int wait_status = 0;
  if (waitpid(pid_, &wait_status, options) != pid_) return false;
  status_ = status_from(wait_status);
  pid_ = -1;
  return true;
}

bool Process::is_running() {
  return !collect(WNOHANG);
}

void Process::send(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

bool Process::wait(std::chrono::milliseconds limit) {
  if (pid_ < 0) return true;
  return wait_for_end(handle_, limit) && collect(0);
}

int Process::stop(std::chrono::seconds grace) {
  send(SIGTERM);
  if (!wait(grace)) {
    send(SIGKILL);
    collect(0);
  }
  return status_;
}

std::vector<int> free_ports(std::size_t count) {
  std::vector<int> ports;
  std::vector<int> sockets;
  for (std::size_t i = 0; i < count; ++i) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
      ports.push_back(ntohs(address.sin_port));
    }
    sockets.push_back(listener);
  }
  for (int listener : sockets) close(listener);
  ports.resize(count, 0);
  return ports;
}

bool wait_until(std::chrono::seconds limit, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

TemporaryFolder::TemporaryFolder(const std::string& name) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / ("berth-" + name + "-XXXXXX")).string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  if (!environment_value("BERTH_E2E_KEEP").empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets any
  return value == nullptr ? "" : value;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string tail_of(const std::filesystem::path& path, std::size_t bytes) {
  const std::string text = read_file(path);
  return text.size() <= bytes ? text : text.substr(text.size() - bytes);
}

}  // namespace berth::e2e
