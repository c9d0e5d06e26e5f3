package meaning

// Distances returns how far apart results are, decoded JSON values, from 0 to 10,000. Results of
// which a value that carries the meaning differs are as far apart as can be; so is a result that
// cannot be read from all others. The guard counts: texts that it parts are far apart.
func (c Fields) Distances(results []any) [][]int {
	read, groups := make([]result, len(results)), map[string][]int{}
	out := make([][]int, len(results))
	for i, v := range results {
		out[i] = make([]int, len(results))
		for j := range out[i] {
			if j != i {
				out[i][j] = apart
			}
		}
		r, err := c.read(v)
		if err != nil {
			continue
		}
		read[i] = r
		groups[r.key] = append(groups[r.key], i)
	}
	for _, members := range groups {
		distances, _ := matrix(read, members, Views{cut: c.cut(read, members, Views{})})
		for a, i := range members {
			for b, j := range members {
				if i != j {
					out[i][j] = int(distances[a*len(members)+b])
				}
			}
		}
	}
	return out
}
