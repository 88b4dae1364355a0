#!/usr/bin/env python3
"""Fails when a file includes what its module may not see.

Two tables: which modules a module may include, and behind which door each third-party library stays.
Run from anywhere; prints file:line for each fault; exit 1 when there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAY_SEE = {
    "base": set(),
    "kube": {"base"},
    "topology": {"kube", "base"},
    "rules": {"topology", "kube", "base"},
    "mutate": {"rules", "topology", "kube", "base"},
    "certs": {"kube", "base"},
    "webhook": {"mutate", "rules", "topology", "kube", "certs", "base"},
    "cli": {"webhook", "mutate", "rules", "topology", "kube", "certs", "base"},
}

# pure modules above rules see decisions, never the way rules are written
NOT_FROM = {
    "mutate": re.compile(r"rules/(cel/|loader|schema|engine|match|index|conflicts|read_)"),
    "webhook": re.compile(r"rules/cel/"),
}

DOORS = {
    r"rapidjson/": re.compile(r"kube/json\.cc$"),
    r"simdjson": re.compile(r"kube/json_reader\.cc$"),
    r"yaml-cpp/": re.compile(r"base/yaml\.cc$"),
    r"httplib\.h": re.compile(r"(webhook/admin_server|kube/http_transport)\.cc$"),
    r"openssl/": re.compile(r"(certs/|webhook/tls_|kube/http_transport\.cc$)"),
    r"prometheus/": re.compile(r"webhook/metrics\.cc$"),
    r"re2/": re.compile(r"(rules/cel/|cli/test\.cc$)"),
    r"http_parser\.h": re.compile(r"webhook/http_"),
    r"(spdlog|fmt)/": re.compile(r"base/log\.cc$"),
    r"CLI/": re.compile(r"cli/"),
}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def faults(path):
    name = path.relative_to(ROOT).as_posix()
    module = name.split("/")[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        target = found[2]
        other = target.split("/")[0]
        if found[1] == '"' and other in MAY_SEE and other != module and other not in MAY_SEE[module]:
            yield f"{name}:{number}: {module} may not include {target}"
        if found[1] == '"' and module in NOT_FROM and NOT_FROM[module].match(target):
            yield f"{name}:{number}: {module} may not include {target}"
        for library, door in DOORS.items():
            if re.match(library, target) and not door.match(name):
                yield f"{name}:{number}: {target} is only for {door.pattern}"


def main():
    bad = []
    for module in MAY_SEE:
        for path in sorted((ROOT / module).rglob("*")):
            if path.suffix in (".h", ".cc"):
                bad += faults(path)
    print("\n".join(bad) if bad else "includes: well")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
