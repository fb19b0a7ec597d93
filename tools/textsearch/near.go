package textsearch

// Distance returns the number of edits that turn a into b: a letter inserted, deleted or
// replaced, or two adjacent letters swapped (optimal string alignment). It returns most+1 for
// any number above most, immediately if the lengths differ by more than most. Otherwise the
// work is len(a) times len(b).
func Distance(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
	}
	return min(row[len(b)], most+1)
}
