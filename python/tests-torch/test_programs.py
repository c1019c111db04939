"""Programs compiled by Inductor to Triton code, each equal to eager (programs.py)."""

import pytest

from programs import PROGRAMS


@pytest.mark.parametrize("function, make, options", [pytest.param(*row, id=row[0].__name__) for row in PROGRAMS])
def test_program(compare, function, make, options):
    compare(function, [one() for one in make], **options)
