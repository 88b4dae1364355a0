#!/usr/bin/env python3
"""Keeps docs/rules.md true: its reference is what the program prints, its examples are run.

  tools/rules_doc.py BERTH           rewrites the reference
  tools/rules_doc.py BERTH --check   exit 1 when the reference is not what BERTH prints, or an example does not hold

An example is a YAML block; its first line names the file that it is ("# rules/x.yaml", "# berth.yaml"). All files together are checked with
`berth check --strict`, the configuration with `berth check --config`, and rule tests among them are run with `berth test`. The README's block of rules is checked in the same way.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOC = ROOT / "docs" / "rules.md"
BEGIN, END = "<!-- reference: written by tools/rules_doc.py from berth schema --format markdown -->", "<!-- end of reference -->"
KINDS = {"ruleset": "Rule files", "ruletest": "Rule tests", "config": "Configuration"}


def output(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)


def reference(berth):
    text = ""
    for kind, title in KINDS.items():
        made = output(berth, "schema", kind, "--format", "markdown", check=True).stdout
        text += f"**{title}.** `berth schema {kind}` prints the same as a JSON Schema for editors.\n\n" + made
    return text.strip()


def blocks(path):
    return re.findall(r"^```yaml\n(.*?)^```", path.read_text(), re.M | re.S)


def failures_of_examples(berth):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, block in enumerate(blocks(DOC)):
            named = re.match(r"# (rules/[\w./-]+\.yaml|berth\.yaml)\n", block)
            if not named:
                yield f"{DOC.name}: YAML block {number + 1} does not start with its file name"
                continue
            file = folder / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block)
        for number, block in enumerate(blocks(ROOT / "README.md")):
            file = folder / "readme" / f"readme{number}.yaml"
            file.parent.mkdir(exist_ok=True)
            file.write_text(block)
        for command in (["check", "--strict", "rules"], ["check", "--strict", "readme"], ["check", "--config", "berth.yaml", "rules"],
                        ["test", "rules/tests"]):
            ran = output(berth, *command, cwd=folder)
            if ran.returncode != 0:
                yield f"berth {' '.join(command)}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}"


def main():
    berth = pathlib.Path(sys.argv[1]).resolve()
    text = DOC.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    wanted = f"{before}{BEGIN}\n\n{reference(berth)}\n\n{END}{after}"
    if "--check" not in sys.argv:
        DOC.write_text(wanted)
        return
    failures = list(failures_of_examples(berth))
    if text != wanted:
        failures.append("docs/rules.md: the reference is not what berth prints; run tools/rules_doc.py BERTH")
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    print(f"docs/rules.md: reference as printed, {len(blocks(DOC))} examples hold")


if __name__ == "__main__":
    main()
