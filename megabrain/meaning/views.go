package meaning

// Views are what others say of results, which have these indexes. The zero value says nothing.
type Views struct {
	// Apart is how far apart a model finds the prose of two results, 0 to 10,000; up to 5,000 they
	// are near. Nil: hashed words say it.
	Apart func(i, j int) int
	// Same says whether two results mean the same. It counts only where nothing else says that.
	// Nil: nobody says it.
	Same func(i, j int) bool
}

// distance of the texts of two results, 0 to 10,000. The guard need not look at those that are not
// near.
func (v Views) distance(a, b *text, i, j int) uint32 {
	var d uint32
	if v.Apart != nil {
		d = uint32(min(max(v.Apart(i, j), 0), apart))
	} else {
		d = a.cosine(&b.embedding)
	}
	if d <= near && parted(a, b) != "" {
		return apart
	}
	return d
}

// decide asks whether two results mean the same, where distances and guard leave it open: no text
// contradicts the other, and they are not near, or one of them is retouched or doubtful. If they
// do, they are as near as can be, and not doubtful any more; if not, they are apart.
func (v Views) decide(read []result, members []int, distances []uint16, doubtful []bool) {
	if v.Same == nil {
		return
	}
	n := len(members)
	decided := make([]bool, n)
	for i := range n {
		for j := range i {
			if distances[i*n+j] <= near && !doubtful[i] && !doubtful[j] {
				continue
			}
			d := uint16(apart)
			if !contradict(&read[members[i]], &read[members[j]]) && v.Same(members[i], members[j]) {
				d, decided[i], decided[j] = 0, true, true
			}
			distances[i*n+j], distances[j*n+i] = d, d
		}
	}
	for i, yes := range decided {
		doubtful[i] = doubtful[i] && !yes
	}
}

// contradict reports whether the guard finds that two results say different things.
func contradict(a, b *result) bool {
	for k := range a.prose {
		if why := parted(&a.prose[k], &b.prose[k]); why != "" && why != crowds {
			return true
		}
	}
	return false
}
