#include "base/log.h"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/plain_text.h"
#include "base/utf8.h"

namespace berth::base {
namespace {

struct Logging {
  LogFormat format = LogFormat::kJson;
  std::shared_ptr<spdlog::logger> logger;
};

Logging& logging() {
  static Logging state = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto logger = std::make_shared<spdlog::logger>("berth", sink);
    logger->set_pattern("%v");
    logger->flush_on(spdlog::level::warn);
    return Logging{LogFormat::kJson, logger};
  }();
  return state;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view to_text(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  if (is_plain_text(text)) {
    out.append(text);
    out += '"';
    return;
  }
  std::size_t plain = 0;  // from here on nothing needs an escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (is_plain_text(text.substr(i, 1))) continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[i];
    } else {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out.append(text, plain);
  out += '"';
}

// "2026-01-31T12:00:00.000Z". What is before the point is made once a second by each thread.
void append_time(std::string& out, std::chrono::system_clock::time_point now) {
  struct Second {
    std::time_t time = -1;
    char text[32];
    std::size_t size = 0;
  };
  thread_local Second last;
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  const std::time_t time = std::chrono::system_clock::to_time_t(now);
  if (last.time != time) {
    std::tm utc{};
    gmtime_r(&time, &utc);
    last.size = std::strftime(last.text, sizeof last.text, "%Y-%m-%dT%H:%M:%S", &utc);
    last.time = time;
  }
  const auto digit = [millis](int unit) { return static_cast<char>('0' + millis / unit % 10); };
  const char fraction[] = {'.', digit(100), digit(10), digit(1), 'Z'};
  out.append(last.text, last.size).append(fraction, sizeof fraction);
}

void append_value(std::string& out, const LogField& field) {
  struct Visitor {
    std::string& out;
    void operator()(std::string_view text) const {
      append_quoted(out, first_bad_utf8(text) ? "(not UTF-8)" : text);
    }
    void operator()(std::int64_t number) const { out += std::to_string(number); }
    void operator()(double number) const { out += fmt::format("{:.6g}", number); }
    void operator()(bool truth) const { out += truth ? "true" : "false"; }
  };
  std::visit(Visitor{out}, field.value);
}

}  // namespace

void configure_logging(LogFormat format, LogLevel lowest) {
  logging().format = format;
  logging().logger->set_level(to_spdlog(lowest));
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  spdlog::logger& logger = *logging().logger;
  const auto severity = to_spdlog(level);
  if (!logger.should_log(severity)) return;
  constexpr std::size_t kUsualBytes = 1024;
  std::string line;
  line.reserve(kUsualBytes);
  const auto now = std::chrono::system_clock::now();
  if (logging().format == LogFormat::kJson) {
    line.append(R"({"time":")");
    append_time(line, now);
    line.append(R"(","level":")").append(to_text(level)).append(R"(","message":)");
    append_quoted(line, message);
    for (const LogField& field : fields) {
      line.append(",\"").append(field.key).append("\":");
      append_value(line, field);
    }
    line += '}';
  } else {
    append_time(line, now);
    line.append(" ").append(to_text(level)).append(" ").append(message);
    for (const LogField& field : fields) {
      line.append(" ").append(field.key).append("=");
      append_value(line, field);
    }
  }
  logger.log(severity, spdlog::string_view_t(line));
}

void flush_log() {
  logging().logger->flush();
}

}  // namespace berth::base
