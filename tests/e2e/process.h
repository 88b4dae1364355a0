// Child processes of the end-to-end tests: run one to its end, or keep one going beside the tests.
// A child never outlives the test program (the kernel kills it), gets no environment but the one
// given here, and its output goes to memory or to a log file. Call start from the main thread: a
// child dies with the thread that made it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace berth::e2e {

struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment = {};  ///< NAME=VALUE; nothing is inherited
  std::string input = {};                     ///< what the child reads from standard input
};

/// How a command ended: the exit status, or 128 plus the signal that ended it.
struct Finished {
  int status = 0;
  std::string out;
  std::string err;
};

/// Runs a command to its end. An error where it cannot be started or does not end within `limit`.
base::Result<Finished> run(const Command& command,
                           std::chrono::seconds limit = std::chrono::seconds(120));

/// A child that runs beside the tests. Ended by its process id, at the latest on destruction.
class Process {
 public:
  /// Starts the command with both outputs appended to `log`.
  static base::Result<Process> start(const Command& command, const std::filesystem::path& log);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  pid_t pid() const { return pid_; }
  bool is_running();
  void send(int signal) const;

  /// Asks it to end, waits up to `grace`, then kills it. Gives the status as in Finished.
  int stop(std::chrono::seconds grace = std::chrono::seconds(30));

  /// Waits up to `limit` for its end.
  bool wait(std::chrono::milliseconds limit);

 private:
  explicit Process(pid_t pid);
  bool collect(int options);

  pid_t pid_ = -1;   // -1: none, or its end was collected
  int handle_ = -1;  // a pidfd, to wait for the end with a time limit
  int status_ = 0;
};

/// Ports on 127.0.0.1 that nothing listens on now, all different.
std::vector<int> free_ports(std::size_t count);

/// Polls `condition` until it holds (true) or `limit` has passed (false).
bool wait_until(std::chrono::seconds limit, const std::function<bool()>& condition);

/// A folder of our own below the system's temporary folder, removed with everything in it on
/// destruction unless BERTH_E2E_KEEP is set.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A variable of the test program's own environment; empty where it is not set.
std::string environment_value(const char* name);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

/// The last lines of a log, for the text of a failure.
std::string tail_of(const std::filesystem::path& path, std::size_t bytes = 2000);

}  // namespace berth::e2e
