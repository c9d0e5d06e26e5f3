package meaning

import "slices"

// Views are what others say of results, which have these indexes. The zero value says nothing.
type Views struct {
	// Apart is how far apart a model finds the prose of two results, 0 to 10,000; up to 5,000 they
	// are near. Nil: hashed words say it.
	Apart func(i, j int) int
	// Same says whether two results mean the same. It counts only where nothing else says that.
	// Nil: nobody says it.
	Same func(i, j int) bool

	// Alike hears of each two results of which one text is the other but for a few words, so that
	// they are not joined. It may be nil.
	Alike func(i, j int)

	cut int // the distance up to which texts are near; 0: near
}

// distance of the texts of two results, 0 to 10,000. The guard need not look at those that are not
// near.
func (v Views) distance(a, b *text, i, j int) uint32 {
	d := v.bare(a, b, i, j)
	if cut := uint32(v.cut); cut > 0 && d <= cut {
		d = d * near / cut
	} else if cut > 0 {
		d = near + (max(d, cut+1)-cut)*(apart-near)/(apart-cut) + 1
		d = min(d, apart)
	}
	if d <= near && parted(a, b) != "" {
		return apart
	}
	return d
}

// bare is the distance without guard and threshold.
func (v Views) bare(a, b *text, i, j int) uint32 {
	if v.Apart != nil {
		return uint32(min(max(v.Apart(i, j), 0), apart))
	}
	return a.cosine(&b.embedding)
}

// cut is the distance up to which the results of a group are near: the middle of the widest gap
// between two distances of results, as far as it lies between the bounds of the class, or of the
// gap above all of them. Results that the guard parts are not looked at.
func (c Fields) cut(read []result, members []int, by Views) int {
	if len(c.Near) != 2 {
		return 0
	}
	least, most := c.Near[0], c.Near[1]
	var all []int
	for i, v := range members {
		for _, w := range members[:i] {
			if contradict(&read[v], &read[w]) {
				continue
			}
			d := uint32(0)
			for k := range read[v].prose {
				d = max(d, by.bare(&read[v].prose[k], &read[w].prose[k], v, w))
			}
			all = append(all, int(d))
		}
	}
	slices.Sort(all)
	if len(all) == 0 || all[len(all)-1] < most {
		all = append(all, most)
	}
	at, widest := (least+most)/2, 0
	for i, end := range all[1:] {
		if gap := end - all[i]; gap > widest && all[i] <= most && end >= least {
			at, widest = min(max(all[i]+gap/2, least), most), gap
		}
	}
	return at
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
