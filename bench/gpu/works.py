"""All rows of the comparison: (name, function that makes the work)."""

import works_attention
import works_elements
import works_products
import works_rows

ROWS = [*works_elements.ROWS, *works_rows.ROWS, *works_products.ROWS, *works_attention.ROWS]
