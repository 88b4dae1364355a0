#!/usr/bin/env python3
"""Draws docs/placement.svg: GPUs allocated over GPUs asked for, from the JSON files of tools/bench-placement.

  tools/placement_svg.py docs/placement.svg 'with berth=packed.json' 'scheduler alone=plain.json'
"""
import json
import sys

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 74, 150, 20, 48
LOW, FIRST, HIGH = 74, 78, 100                    # per cent: lowest allocated, first and last asked for
COLOURS = ("#0b6e4f", "#c1440e", "#3d5a80", "#8d6a9f", "#7f7f7f")


def x_of(percent):
    return round(LEFT + (percent - FIRST) / (HIGH - FIRST) * (WIDTH - LEFT - RIGHT), 1)


def y_of(percent):
    return round(HEIGHT - BOTTOM - (percent - LOW) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM), 1)


def line(a, b, style):
    return f'<line x1="{a[0]}" y1="{a[1]}" x2="{b[0]}" y2="{b[1]}" {style}/>'


def text(x, y, words, more=""):
    return f'<text x="{x}" y="{y}" {more}>{words}</text>'


def axes():
    out = []
    for percent in range(75, HIGH + 1, 5):
        out.append(line((x_of(FIRST), y_of(percent)), (x_of(HIGH), y_of(percent)), 'stroke="#e3e3e3"'))
        out.append(text(LEFT - 8, y_of(percent) + 4, f"{percent} %", 'text-anchor="end"'))
        if percent > FIRST:
            out.append(text(x_of(percent), HEIGHT - BOTTOM + 18, f"{percent} %", 'text-anchor="middle"'))
    out.append(line((x_of(80), y_of(80)), (x_of(100), y_of(100)), 'stroke="#b0b0b0" stroke-dasharray="3 4"'))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "GPUs asked for, of all", 'text-anchor="middle"'))
    out.append(text(16, (HEIGHT - BOTTOM + TOP) / 2, "GPUs allocated, of all",
                    f'text-anchor="middle" transform="rotate(-90 16 {(HEIGHT - BOTTOM + TOP) / 2})"'))
    return out


def curve(name, rows, colour):
    points = [(x_of(r["arrived"]), y_of(max(LOW, r["allocated"]))) for r in rows if r["arrived"] <= HIGH]
    path = " ".join(f"{x},{y}" for x, y in points)
    dots = [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points]
    label = text(points[-1][0] + 8, points[-1][1] + 4, f"{name} {rows[len(points) - 1]['allocated']:.1f}", f'fill="{colour}"')
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots, label]


def main():
    if len(sys.argv) < 3 or not all("=" in given for given in sys.argv[2:]):
        sys.exit(__doc__)
    parts = axes()
    for i, given in enumerate(sys.argv[2:]):
        name, path = given.rsplit("=", 1)
        with open(path) as f:
            parts += curve(name, json.load(f)["rows"], COLOURS[i % len(COLOURS)])
    with open(sys.argv[1], "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
