use median::median;

#[test]
fn odd_number_of_values() {
    assert_eq!(median(&[5.0, 1.0, 3.0]), 3.0);
}

#[test]
fn even_number_of_values() {
    assert_eq!(median(&[1.0, 2.0, 3.0, 4.0]), 2.5);
}
