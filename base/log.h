// Structured logging to standard error, one line an event: JSON by default, text for people. The
// only door to spdlog. Lines start lower case and have no full stop; values go into fields, never
// into the message. Safe from every thread. Pure modules do not log: they return what happened.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace berth::base {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kJson, kText };

/// The key is written as it is: a plain word.
struct LogField {
  std::string_view key;
  std::variant<std::string_view, std::int64_t, double, bool> value;
};

/// Called once at start-up, before other threads run. Until then: JSON at info.
void configure_logging(LogFormat format, LogLevel lowest);

/// Writes one line. Control characters and invalid UTF-8 in values are escaped.
void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

/// Writes out what is buffered: before the process ends.
void flush_log();

}  // namespace berth::base
