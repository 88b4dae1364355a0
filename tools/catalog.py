#!/usr/bin/env python3
"""Writes topology/catalog_data.cc from the fact tables in topology/data.

Usage: tools/catalog.py           writes the file
       tools/catalog.py --check   exit status 1 when the file is not what the tables give
Needs python3-yaml. Run it after a change of topology/data and commit both.
"""
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "topology" / "data"
OUT = ROOT / "topology" / "catalog_data.cc"
REACH = {"none": "kNone", "bridge": "kBridge", "node": "kNode", "rack": "kRack"}


def load(name):
    return yaml.safe_load((DATA / name).read_text())


def text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(value):
    return str(value or 0)


def packed(entries):
    """Several entries a line, up to column 100."""
    line = "   "
    for entry in entries:
        if len(line) + len(entry) + 2 > 100:
            yield line
            line = "   "
        line += " " + entry + ","
    yield line


def plain(name):
    """The form in which names are looked up: lower case, without the maker's words in front."""
    name = name.lower()
    for front in ("nvidia-", "tesla-", "amd_", "instinct_"):
        name = name.removeprefix(front)
    return name


def names_of(products):
    names = {}
    for i, p in enumerate(products):
        for name in [p["label"], *p.get("variants", []), *p["aliases"]]:
            key = plain(name)
            if names.setdefault(key, i) != i:
                sys.exit(f"name {name!r} stands for two products")
    smallest = sorted(range(len(products)), key=lambda i: (products[i]["memory_mib"] or 1 << 60, i))
    for i in smallest:
        names.setdefault(plain(products[i]["family"]), i)
    return sorted(names.items())


def product_tables(facts, mig_ids):
    products = facts["products"]
    yield f"constexpr std::array<Product, {len(products)}> kProductTable = {{{{"
    for p in products:
        mig = mig_ids.index(p["mig"]) if p.get("mig") else -1
        yield (f"    {{{text(p['family'])}, {text(p['vendor'])}, {text(p['label'])}, "
               f"{number(p['memory_mib'])}, {mig}, NvlinkReach::{REACH[p['nvlink']]}}},")
    yield "}};"
    yield ""
    names = names_of(products)
    yield f"constexpr std::array<ProductName, {len(names)}> kNameTable = {{{{"
    yield from packed(f"{{{text(name)}, {i}}}" for name, i in names)
    yield "}};"
    yield ""
    families = sorted({p["family"] for p in products})
    yield f"constexpr std::array<std::string_view, {len(families)}> kFamilyTable = {{"
    yield from packed(text(family) for family in families)
    yield "};"
    yield ""
    index = {p["label"]: i for i, p in enumerate(products)}
    machines = facts["machines"]
    yield f"constexpr std::array<ProductName, {len(machines)}> kMachineTable = {{{{"
    for m in sorted(machines, key=lambda m: m["prefix"]):
        yield f"    {{{text(m['prefix'])}, {index[m['product']]}}},"
    yield "}};"


def mig_tables(gpus):
    profiles = [(i, g, p) for i, g in enumerate(gpus) for p in g["profiles"]]
    yield f"constexpr std::array<MigProfile, {len(profiles)}> kProfileTable = {{{{"
    for i, g, p in profiles:
        yield (f"    {{{text(p['profile'])}, {i}, {p['compute']}, {number(p['memory_slices'])}, "
               f"{number(g['memory_slices'])}, {number(p['max'])}, "
               f"{number(g['total_memory_mib'])}, {number(p['memory_mib'])}}},")
    yield "}};"
    yield ""
    names = sorted({p["profile"] for _, _, p in profiles})
    yield f"constexpr std::array<std::string_view, {len(names)}> kProfileNameTable = {{"
    yield from packed(text(name) for name in names)
    yield "};"


def level_tables(facts):
    rows = [(level["name"], row) for level in facts["levels"] for row in level["labels"]]
    yield f"constexpr std::array<LevelLabel, {len(rows)}> kLevelLabelTable = {{{{"
    for level, row in rows:
        scope = "kParent" if row.get("scope") == "parent" else "kGlobal"
        rack = "true" if row.get("needs") == "rack" else "false"
        yield (f"    {{{text(level)}, {text(row['key'])}, {text(row.get('same_as', row['key']))}, "
               f"ValueScope::{scope}, {rack}}},")
    yield "}};"
    yield ""
    values = facts["unknown_values"]
    yield f"constexpr std::array<std::string_view, {len(values)}> kUnknownValueTable = {{"
    for value in values:
        yield f"    {text(value)},"
    yield "};"


ACCESS = [("Product", "products", "kProductTable"), ("ProductName", "product_names", "kNameTable"),
          ("std::string_view", "families", "kFamilyTable"),
          ("ProductName", "machine_prefixes", "kMachineTable"),
          ("MigProfile", "mig_profiles", "kProfileTable"),
          ("std::string_view", "mig_profile_names", "kProfileNameTable"),
          ("LevelLabel", "level_labels", "kLevelLabelTable"),
          ("std::string_view", "unknown_values", "kUnknownValueTable")]


def lines():
    gpus = load("mig-profiles.yaml")["gpus"]
    yield "// Made by tools/catalog.py from topology/data/{gpu-products,mig-profiles,topology-labels}.yaml;"
    yield "// do not edit."
    yield "// clang-format off"
    yield '#include "topology/catalog_data.h"'
    yield ""
    yield "#include <array>"
    yield ""
    yield "namespace berth::topology::data {"
    yield "namespace {"
    yield ""
    yield from product_tables(load("gpu-products.yaml"), [g["id"] for g in gpus])
    yield ""
    yield from mig_tables(gpus)
    yield ""
    yield from level_tables(load("topology-labels.yaml"))
    yield ""
    yield "}  // namespace"
    yield ""
    for kind, name, table in ACCESS:
        yield f"std::span<const {kind}> {name}() {{"
        yield f"  return {table};"
        yield "}"
    yield ""
    yield "}  // namespace berth::topology::data"


def main():
    made = "\n".join(lines()) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not OUT.exists() or OUT.read_text() != made:
            sys.exit(f"{OUT.relative_to(ROOT)} is not what the tables give: run tools/catalog.py")
        return
    OUT.write_text(made)


main()
