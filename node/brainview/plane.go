package brainview

import (
	"math"

	"ojud/ledger/brain"
	"ojud/schema"
)

// plane puts things with these distances, from 0 to 10,000, into a square of 1 by 1, so that the
// distances in the square are as near to theirs as they can be: classical scaling to begin with,
// and then steps that lessen the error (SMACOF). It is a picture, and nothing is decided by it.
func plane(distances [][]int) [][2]float64 {
	n := len(distances)
	at := scaled(distances)
	for range steps {
		next := make([][2]float64, n)
		for i := range n {
			for j := range n {
				if i == j {
					continue
				}
				dx, dy := at[i][0]-at[j][0], at[i][1]-at[j][1]
				far, ratio := math.Hypot(dx, dy), 0.0
				if far > 1e-9 {
					ratio = float64(distances[i][j]) / whole / far
				}
				next[i][0] += ratio * dx / float64(n)
				next[i][1] += ratio * dy / float64(n)
			}
		}
		at = next
	}
	return fit(at)
}

// steps of the scaling. Eight things need fewer.
const steps = 200

// scaled is classical scaling: the two strongest directions of the distances, by power iteration.
func scaled(distances [][]int) [][2]float64 {
	n := len(distances)
	b, rows, all := make([][]float64, n), make([]float64, n), 0.0
	for i := range n {
		b[i] = make([]float64, n)
		for j := range n {
			d := float64(distances[i][j]) / whole
			b[i][j] = -d * d / 2
			rows[i] += b[i][j] / float64(n)
		}
		all += rows[i] / float64(n)
	}
	for i := range n {
		for j := range n {
			b[i][j] += all - rows[i] - rows[j]
		}
	}
	at := make([][2]float64, n)
	for axis := range 2 {
		v, value := strongest(b, axis)
		for i := range n {
			at[i][axis] = v[i]*math.Sqrt(max(0, value)) + 1e-3*math.Mod(float64(i+1)*(0.6180339887+float64(axis)), 1) // so that no two are at one place
			for j := range n {
				b[i][j] -= value * v[i] * v[j]
			}
		}
	}
	return at
}

// strongest is the direction in which a symmetric matrix stretches most. It begins with an uneven
// vector, so that no direction is missed.
func strongest(b [][]float64, turn int) (v []float64, value float64) {
	n := len(b)
	v = make([]float64, n)
	for i := range v {
		v[i] = 1 + math.Mod(float64((i+1)*(7+4*turn))*0.6180339887, 1)
	}
	for range steps {
		next, length := make([]float64, n), 0.0
		for i := range n {
			for j := range n {
				next[i] += b[i][j] * v[j]
			}
			length += next[i] * next[i]
		}
		if length = math.Sqrt(length); length < 1e-12 {
			return make([]float64, n), 0
		}
		for i := range n {
			next[i] /= length
		}
		v = next
	}
	for i := range n {
		for j := range n {
			value += v[i] * b[i][j] * v[j]
		}
	}
	return v, value
}

// fit moves points into the square, in their proportions. A single point is in the middle.
func fit(at [][2]float64) [][2]float64 {
	least, most := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		for k := range 2 {
			least[k], most[k] = min(least[k], p[k]), max(most[k], p[k])
		}
	}
	size := max(most[0]-least[0], most[1]-least[1])
	for i := range at {
		for k := range 2 {
			from := at[i][k] - (least[k]+most[k])/2
			if at[i][k] = 0.5; size > 1e-9 {
				at[i][k] += from / size
			}
		}
	}
	return at
}

// place gives each result a place in the plane: by how far apart results are in meaning, or, if
// they are not here, by their clusters.
func (d *Detail) place(t *brain.TaskAccount, class named, results [][]byte) {
	var there []int
	values := make([]any, 0, len(results))
	complete := class.has
	for i, w := range t.Work[:t.Counts.Drawn] {
		if w.State != revealed {
			continue
		}
		there = append(there, i)
		v, err := schema.DefaultLimits().Decode(results[i])
		if results[i] == nil {
			complete = false
		}
		if err != nil {
			v = nil
		}
		values = append(values, v)
	}
	if len(there) == 0 {
		return
	}
	var distances [][]int
	switch {
	case complete:
		d.PointsBy, distances = "meaning", d.beside(there, class.of.Distances(values))
	case d.Outcome != nil:
		d.PointsBy, distances = "clusters", d.between(there)
	default:
		return
	}
	for n, p := range plane(distances) {
		d.Seats[there[n]].X, d.Seats[there[n]].Y = p[0], p[1]
	}
}

// beside moves copies to their originals. The guard parts them, because it parts a text from
// another that is this one but for a word.
func (d *Detail) beside(there []int, distances [][]int) [][]int {
	for a, i := range there {
		for b, j := range there {
			if d.Seats[i].CopyOf != j+1 {
				continue
			}
			for c := range there {
				distances[a][c], distances[c][a] = distances[b][c], distances[c][b]
			}
			distances[a][a], distances[a][b], distances[b][a] = 0, whole/20, whole/20
		}
	}
	return distances
}

// between are distances that follow from clusters and copies alone.
func (d *Detail) between(there []int) [][]int {
	out := make([][]int, len(there))
	for a, i := range there {
		out[a] = make([]int, len(there))
		for b, j := range there {
			x, y := d.Seats[i], d.Seats[j]
			switch {
			case a == b:
			case x.CopyOf == j+1 || y.CopyOf == i+1:
				out[a][b] = whole / 20
			case x.Cluster > 0 && x.Cluster == y.Cluster:
				out[a][b] = whole / 4
			default:
				out[a][b] = whole
			}
		}
	}
	return out
}
