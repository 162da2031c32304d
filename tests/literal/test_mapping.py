"""The literal mapping against the papers' tables; that it is the product's, rule by rule: tests/mapping."""

import pytest

from literal import mapping

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

# Rows are the children of B, columns those of A, as printed. Table 8.2 as printed does not follow the rule of the other
# two (its first row has 0.8 where both are first); five children onto four are worked out by hand.
TABLE_8_1 = [
    [1, 0.8, 0.6, 0.4, 0.2],
    [0.8, 1, 0.8, 0.6, 0.4],
    [0.6, 0.8, 1, 0.8, 0.6],
    [0.4, 0.6, 0.8, 1, 0.8],
    [0.2, 0.4, 0.6, 0.8, 1],
]
TABLE_8_2 = [[1, 1, 0.75, 0.5, 0.25], [0.75, 1, 1, 0.75, 0.5], [0.5, 0.75, 1, 1, 0.75], [0.25, 0.5, 0.75, 1, 1]]
TABLE_8_3 = [[1, 0.75, 0.5, 0.25], [1, 1, 0.75, 0.5], [0.75, 1, 1, 0.75], [0.5, 0.75, 1, 1], [0.25, 0.5, 0.75, 1]]


@pytest.mark.parametrize("table", [TABLE_8_1, TABLE_8_2, TABLE_8_3], ids=["8.1", "8.2", "8.3"])
def test_position_values_are_those_of_the_table(table):
    n_a, n_b = len(table[0]), len(table)
    computed = [[mapping.position_value(i, j, n_a, n_b) for i in range(n_a)] for j in range(n_b)]
    assert computed == [pytest.approx(row) for row in table]
