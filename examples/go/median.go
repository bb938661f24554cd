package median

import "sort"

// Median is the value in the middle; of an even number of values, the mean of the two there.
func Median(values []float64) float64 {
	ordered := append([]float64(nil), values...)
	sort.Float64s(ordered)
	return ordered[len(ordered)/2]
}
