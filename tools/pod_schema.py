#!/usr/bin/env python3
"""Writes rules/cel/pod_schema.cc: the fields of a core/v1 Pod, from the API server's OpenAPI.

usage: tools/pod_schema.py SWAGGER_JSON VERSION > rules/cel/pod_schema.cc
SWAGGER_JSON is api/openapi-spec/swagger.json of a Kubernetes release, VERSION its name. Run it again
for a newer one.
"""
import json
import sys
import textwrap

ROOT = "io.k8s.api.core.v1.Pod"
SIMPLE = {"string": "string", "boolean": "bool", "integer": "int", "number": "double"}
# Free-form or int-or-string: any value.
DYNAMIC = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
}
TEXT = {
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
}


def short(name):
    return name.rsplit(".", 1)[1]


def type_of(schema, wanted):
    """The type text of a property; shapes that it names are added to `wanted`."""
    reference = schema.get("$ref")
    if reference:
        name = reference.rsplit("/", 1)[1]
        if name in DYNAMIC:
            return "dyn"
        if name in TEXT:
            return "string"
        if name not in wanted:
            wanted.append(name)
        return short(name)
    if schema["type"] == "array":
        return f"list({type_of(schema['items'], wanted)})"
    if schema["type"] == "object":
        values = schema.get("additionalProperties")
        return f"map(string, {type_of(values, wanted)})" if values else "dyn"
    return SIMPLE[schema["type"]]


def wrapped(head, rows):
    """A table with as many rows on a line as fit, none broken."""
    glued = ", ".join(row.replace(" ", "\0") for row in rows)
    lines = textwrap.wrap(f"{head} = {{{glued}}};", 100, subsequent_indent="    ",
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    definitions = document["definitions"]
    wanted = [ROOT]
    tables = []
    for name in wanted:  # grows while it is walked
        fields = [
            (field, type_of(schema, wanted))
            for field, schema in sorted(definitions[name]["properties"].items())
        ]
        tables.append((short(name), fields))
    names = [name for name, _ in tables]
    assert len(set(names)) == len(names), "two definitions with one short name"
    print(f"// Made by tools/pod_schema.py from Kubernetes {sys.argv[2]}; not for editing by hand.")
    print('#include "rules/cel/pod_schema.h"\n')
    print("namespace berth::rules::cel {\nnamespace {\n\n// clang-format off")
    for name, fields in tables:
        rows = [f'{{"{field}", "{kind}"}}' for field, kind in fields]
        print(wrapped(f"constexpr JsonField k{name}[]", rows))
    rows = [f'{{"{name}", Openness::kOpen, k{name}}}' for name, _ in tables]
    print(wrapped("constexpr JsonShape kShapes[]", rows))
    print("// clang-format on\n")
    print("}  // namespace\n\nstd::span<const JsonShape> pod_shapes() {\n  return kShapes;\n}\n")
    print("}  // namespace berth::rules::cel")


if __name__ == "__main__":
    main()
