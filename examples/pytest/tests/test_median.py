from median import median


def test_odd_number_of_values():
    assert median([5, 1, 3]) == 3


def test_even_number_of_values():
    assert median([1, 2, 3, 4]) == 2.5
