package meaning

import (
	"cmp"
	"math"
	"slices"
)

// minCluster is the size of the smallest cluster of hdbscan.
const minCluster = 2

// hdbscan is density-based clustering (Campello, Moulavi and Sander) of n points with their
// distances, as scikit-learn's HDBSCAN does it with min_cluster_size=2, min_samples=1,
// allow_single_cluster=True and cluster_selection_epsilon=epsilon; 0 is no epsilon. It returns the
// cluster of each point, or -1 for noise. It computes in integers, so that all machines agree.
func hdbscan(n int, distance func(i, j int) uint32, epsilon uint32) []int {
	if n < minCluster {
		return slices.Repeat([]int{-1}, n)
	}
	t := condense(n, linkage(n, spanningTree(n, distance)))
	return t.label(t.choose(epsilon), epsilon)
}

// edge joins two points or, in a hierarchy, two nodes.
type edge struct {
	a, b     int
	distance uint32
	size     int // of the node that it makes
}

// spanningTree is the minimum spanning tree by Prim, by ascending distance.
func spanningTree(n int, distance func(i, j int) uint32) []edge {
	in, from, near := make([]bool, n), make([]int, n), slices.Repeat([]uint32{math.MaxUint32}, n)
	tree := make([]edge, 0, n-1)
	for last := 0; len(tree) < n-1; {
		in[last] = true
		next := -1
		for i := range n {
			if in[i] {
				continue
			}
			if d := distance(last, i); d < near[i] || from[i] == i {
				near[i], from[i] = d, last
			}
			if next < 0 || near[i] < near[next] {
				next = i
			}
		}
		tree = append(tree, edge{a: from[next], b: next, distance: near[next]})
		last = next
	}
	slices.SortStableFunc(tree, func(a, b edge) int { return cmp.Compare(a.distance, b.distance) })
	return tree
}

// linkage makes the hierarchy of single linkage: its i-th edge makes node n+i.
func linkage(n int, tree []edge) []edge {
	parent := make([]int, 2*n-1)
	for i := range parent {
		parent[i] = i
	}
	size := func(node int, made []edge) int {
		if node < n {
			return 1
		}
		return made[node-n].size
	}
	made := make([]edge, 0, n-1)
	for _, e := range tree {
		a, b, node := find(parent, e.a), find(parent, e.b), n+len(made)
		made = append(made, edge{a, b, e.distance, size(a, made) + size(b, made)})
		parent[a], parent[b] = node, node
	}
	return made
}

func find(parent []int, i int) int {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// condensed is a hierarchy in which only clusters of minCluster and more count as clusters. Nodes
// below n are points; n is the root.
type condensed struct {
	n    int
	rows []row
}

// row says that a point or a cluster leaves its parent at a distance.
type row struct {
	parent, child int
	distance      uint32
	size          int
}

// lambda is the density at a distance. The sum over 1,024 points fits.
func lambda(distance uint32) uint64 { return (1 << 52) / uint64(max(distance, 1)) }

func condense(n int, made []edge) condensed {
	t := condensed{n: n}
	label, next := make([]int, 2*n-1), n+1
	label[2*n-2] = n
	size := func(node int) int {
		if node < n {
			return 1
		}
		return made[node-n].size
	}
	leave := func(parent, node int, d uint32) {
		for _, sub := range below(n, made, node) {
			if sub < n {
				t.rows = append(t.rows, row{parent, sub, d, 1})
			} else {
				label[sub] = -1
			}
		}
	}
	for _, node := range below(n, made, 2*n-2) {
		if node < n || label[node] < 0 {
			continue
		}
		e := made[node-n]
		sides := [2]int{e.a, e.b}
		large := size(e.a) >= minCluster && size(e.b) >= minCluster
		for _, side := range sides {
			switch {
			case large:
				label[side] = next
				next++
				t.rows = append(t.rows, row{label[node], label[side], e.distance, size(side)})
			case size(side) < minCluster:
				leave(label[node], side, e.distance)
			default:
				label[side] = label[node]
			}
		}
	}
	return t
}

// below are a node and all nodes under it, level by level.
func below(n int, made []edge, node int) []int {
	out := []int{node}
	for i := 0; i < len(out); i++ {
		if out[i] >= n {
			out = append(out, made[out[i]-n].a, made[out[i]-n].b)
		}
	}
	return out
}

// clusters is one more than the largest label of a cluster.
func (t condensed) clusters() int {
	most := t.n
	for _, r := range t.rows {
		most = max(most, r.parent, r.child)
	}
	return most + 1
}

// choose returns the clusters of the greatest excess of mass.
func (t condensed) choose(epsilon uint32) map[int]bool {
	all := t.clusters()
	birth, stability, children := make([]uint32, all), make([]uint64, all), make([][]int, all)
	for _, r := range t.rows {
		birth[r.child] = r.distance
		if r.child > t.n {
			children[r.parent] = append(children[r.parent], r.child)
		}
	}
	parent := make([]int, all)
	for _, r := range t.rows {
		parent[r.child] = r.parent
		born := uint64(0)
		if r.parent != t.n {
			born = lambda(birth[r.parent])
		}
		stability[r.parent] += (lambda(r.distance) - born) * uint64(r.size)
	}
	chosen := map[int]bool{}
	var drop func(node int)
	drop = func(node int) {
		for _, c := range children[node] {
			delete(chosen, c)
			drop(c)
		}
	}
	for node := all - 1; node >= t.n; node-- {
		var under uint64
		for _, c := range children[node] {
			under += stability[c]
		}
		if under > stability[node] {
			stability[node] = under
			continue
		}
		chosen[node] = true
		drop(node)
	}
	if epsilon == 0 || len(children[t.n]) == 0 || chosen[t.n] {
		return chosen
	}
	return t.merge(chosen, parent, birth, children, epsilon)
}

// merge replaces clusters that parted at less than epsilon by the cluster above them that did not.
func (t condensed) merge(chosen map[int]bool, parent []int, birth []uint32, children [][]int, epsilon uint32) map[int]bool {
	out, done := map[int]bool{}, map[int]bool{}
	var finish func(node int)
	finish = func(node int) {
		for _, c := range children[node] {
			done[c] = true
			finish(c)
		}
	}
	for leaf := t.n + 1; leaf < len(parent); leaf++ {
		switch {
		case !chosen[leaf]:
		case birth[leaf] >= epsilon:
			out[leaf] = true
		case !done[leaf]:
			up := parent[leaf]
			for up != t.n && birth[up] <= epsilon {
				up = parent[up]
			}
			out[up] = true
			finish(up)
		}
	}
	return out
}

// label gives each point its chosen cluster. If the root is the only one, a point that leaves it at
// more than epsilon is noise, or without epsilon every point but the last that stay.
func (t condensed) label(chosen map[int]bool, epsilon uint32) []int {
	up, last := make([]int, t.clusters()), uint32(math.MaxUint32)
	for i := range up {
		up[i] = i
	}
	leaves := make([]uint32, t.n)
	for _, r := range t.rows {
		if !chosen[r.child] {
			up[r.child] = r.parent
		}
		if r.parent == t.n {
			last = min(last, r.distance)
		}
		if r.child < t.n {
			leaves[r.child] = r.distance
		}
	}
	if epsilon != 0 {
		last = epsilon
	}
	out := make([]int, t.n)
	for i := range out {
		switch c := find(up, i); {
		case c != t.n:
			out[i] = c
		case len(chosen) == 1 && chosen[t.n] && leaves[i] <= last:
			out[i] = t.n
		default:
			out[i] = -1
		}
	}
	return out
}
