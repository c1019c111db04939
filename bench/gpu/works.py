"""All rows of the comparison: (name, function that makes the work)."""

import works_attention
import works_elements
import works_products
import works_rows

ROWS = [*works_elements.ROWS, *works_rows.ROWS, *works_products.ROWS, *works_attention.ROWS]


def chosen(only="", part="1/1"):
    """Those whose name contains one of the texts of `only` (separated by |), and of these every n-th, for part i/n."""
    index, _, count = part.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise ValueError(f"a part is I/N with I from 1 to N, not '{part}'")
    rows = [row for row in ROWS if any(text in row[0] for text in only.split("|"))]
    return rows[int(index) - 1::int(count)]
