"""Checks the files of a benchmark of `add` (kernels.py) by n and BLOCK: numbers agree with each other, and pictures have each of them."""
import csv
import json
import sys
import xml.etree.ElementTree as ET

csv_path, json_path, svg_path, html_path = sys.argv[1:]
rows = list(csv.DictReader(open(csv_path, encoding="utf-8")))
result = json.load(open(json_path, encoding="utf-8"))
points = result["points"]
assert len(rows) == len(points) == 8
assert result["x"] == "n" and result["devices"][0]["interpreter"] and result["devices"][0]["copy_gigabytes_per_second"] is None


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(b)


for row, point in zip(rows, points):
    n, seconds = int(row["n"]), float(row["milliseconds"]) * 1e-3
    # Masked-off lanes are computed, too.
    block = int(row["configuration"].split("=")[1])
    operations = (n + block - 1) // block * block
    assert point["x"] == row["n"] and point["line"] == row["configuration"] == " ".join(point["configuration"]), (row, point)
    assert float(row["bytes"]) == point["bytes"] == 12 * n and float(row["operations"]) == point["operations"] == operations, row
    assert 0 < float(row["fastest"]) <= float(row["milliseconds"]) <= float(row["slowest"]) and int(row["runs"]) == point["runs"] >= 1, row
    assert near(float(row["milliseconds"]), point["milliseconds"]), (row, point)
    assert near(float(row["gigabytes_per_second"]), 12 * n / seconds * 1e-9) and near(float(row["teraflops_per_second"]), operations / seconds * 1e-12), row
    assert row["share_of_copy"] == row["share_of_dot"] == "" and row["note"] == "", row
    assert near(point["gigabytes_per_second"], float(row["gigabytes_per_second"])), (row, point)

text = open(svg_path, encoding="utf-8").read()
svg = ET.fromstring(text)
titles = [e.text for e in svg.iter("{http://www.w3.org/2000/svg}title")]
for row in rows:
    assert sum(t.startswith(f"{row['configuration']}, n = {row['n']}: ") and t.endswith(" GB/s") for t in titles) == 1, (row, titles)
words = [e.text for e in svg.iter("{http://www.w3.org/2000/svg}text")]
assert {"GB/s", "n", "64", "128", "256", "100", "BLOCK=32", "BLOCK=64"} <= set(words), words
assert any("say nothing about a GPU" in w for w in words), words
width, height = float(svg.get("width")), float(svg.get("height"))
for e in svg.iter("{http://www.w3.org/2000/svg}text"):
    assert 0 <= float(e.get("x")) <= width and 0 <= float(e.get("y")) <= height, ET.tostring(e)
page = open(html_path, encoding="utf-8").read()
assert text[text.index("<style>"):] in page and "http://" not in page.replace("http://www.w3.org/2000/svg", ""), "refers to something outside"
