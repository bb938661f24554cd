package median

import "testing"

func TestOddNumberOfValues(t *testing.T) {
	if got := Median([]float64{5, 1, 3}); got != 3 {
		t.Fatalf("got %v, want 3", got)
	}
}

func TestEvenNumberOfValues(t *testing.T) {
	if got := Median([]float64{1, 2, 3, 4}); got != 2.5 {
		t.Fatalf("got %v, want 2.5", got)
	}
}
