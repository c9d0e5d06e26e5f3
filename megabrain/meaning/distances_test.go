package meaning

import "testing"

// TestDistances: what means the same is near, other values are as far apart as can be, and so is
// what cannot be read.
func TestDistances(t *testing.T) {
	t.Parallel()
	c := Fields{Meaning: []string{"/year"}, Prose: []string{"/why"}}
	of := func(year float64, why string) any { return map[string]any{"year": year, "why": why} }
	d := c.Distances([]any{
		of(1931, "The bridge opened in the spring after four years of work by two firms"),
		of(1931, "After four years of work two firms opened the bridge in spring"),
		of(1935, "After four years of work two firms opened the bridge in spring"),
		nil, nil,
	})
	for i := range d {
		for j := range d {
			want := apart
			if i == j {
				want = 0
			}
			if i+j == 1 {
				if d[i][j] == 0 || d[i][j] > near || d[i][j] != d[j][i] {
					t.Errorf("the same is %d apart", d[i][j])
				}
			} else if d[i][j] != want {
				t.Errorf("%d and %d are %d apart, want %d", i, j, d[i][j], want)
			}
		}
	}
}
