#!/usr/bin/env bash
# Rewrites want.txt of the golden cases from what the program says now. A change of goldens is reviewed like code.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --build --preset dev --target webhook_tests
BERTH_UPDATE_GOLDEN=1 build/dev/tests/webhook_tests --gtest_filter='Golden.CasesSay*' --gtest_brief=1 || true
git --no-pager diff --stat -- tests/cases
