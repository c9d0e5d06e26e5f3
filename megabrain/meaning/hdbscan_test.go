package meaning

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// drawn is a random set, as testdata/hdbscan.py draws it.
func drawn(seed uint64) (n int, distance func(i, j int) uint32, epsilon uint32) {
	draw := func(n uint64) uint64 {
		seed += 0x9E3779B97F4A7C15
		z := seed
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return (z ^ z>>31) % n
	}
	n = int(5 + draw(26))
	groups := 1 + draw(4)
	points := make([][2]int, n)
	for i := range points {
		g, wide := draw(groups), uint64(4)
		if draw(6) == 0 {
			wide = 44
		}
		points[i][0] = int(60*(g%2) + draw(wide))
		points[i][1] = int(60*(g/2) + draw(wide))
	}
	distance = func(i, j int) uint32 {
		i, j = max(i, j), min(i, j)
		x, y := points[i][0]-points[j][0], points[i][1]-points[j][1]
		return uint32((x*x+y*y+1)*1024 + i*n + j)
	}
	return n, distance, []uint32{0, 60_000, 400_000, 4_000_000}[draw(4)]
}

// renamed numbers clusters in the order of their first points.
func renamed(labels []int) []int {
	names, out := map[int]int{-1: -1}, make([]int, len(labels))
	for i, l := range labels {
		if _, ok := names[l]; !ok {
			names[l] = len(names) - 1
		}
		out[i] = names[l]
	}
	return out
}

// TestHDBSCAN: 1,000 random sets fall into the clusters that scikit-learn finds. Control: with
// another epsilon, many do not.
func TestHDBSCAN(t *testing.T) {
	raw, err := os.ReadFile("testdata/hdbscan.json")
	if err != nil {
		t.Fatal(err)
	}
	var want [][]int
	if err := json.Unmarshal(raw, &want); err != nil || len(want) != 1000 {
		t.Fatalf("%d sets: %v", len(want), err)
	}
	kinds, differ := map[int]int{}, 0
	for seed, labels := range want {
		n, distance, epsilon := drawn(uint64(seed))
		got := renamed(hdbscan(n, distance, epsilon))
		if !reflect.DeepEqual(got, labels) {
			t.Errorf("set %d, epsilon %d: %v, scikit-learn says %v", seed, epsilon, got, labels)
		}
		most := -1
		for _, l := range labels {
			most = max(most, l)
		}
		kinds[most+1]++
		if !reflect.DeepEqual(renamed(hdbscan(n, distance, epsilon+100_000)), labels) {
			differ++
		}
	}
	if kinds[1] < 50 || kinds[2] < 50 || kinds[3] < 50 || differ < 100 {
		t.Errorf("the sets are too much alike: %v, %d differ with another epsilon", kinds, differ)
	}
}
