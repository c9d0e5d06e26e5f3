package console

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ojud/node/brainview"
)

// meaningPlane is the picture of results as points.
type meaningPlane struct {
	Size   float64
	Points []meaningPoint
	Blobs  []blob
	Copies []copyLine
	Words  string
	By     string // what the places follow
}

// meaningPoint is a result in the picture.
type meaningPoint struct {
	X, Y   float64
	Number int
	Class  string
	Score  string
	Words  string
}

// blob is around the results of a cluster: a thick line through its points.
type blob struct{ Path, Class string }

// copyLine leads from a copy to its original.
type copyLine struct{ X1, Y1, X2, Y2 float64 }

// The picture of the plane.
const (
	planeSize  = 400.0
	planeEdge  = 52.0
	pointSize  = 17.0
	leastApart = 2*pointSize + 4
)

// planeOf draws the results. Points that would hide each other are moved apart.
func planeOf(d brainview.Detail, best int) meaningPlane {
	p := meaningPlane{Size: planeSize, By: d.PointsBy}
	at := map[int]int{} // number of a worker to its point
	for i, s := range d.Seats {
		if s.State != "revealed" || d.PointsBy == "" {
			continue
		}
		t := thinkerOf(i+1, s, best, d.Over)
		point := meaningPoint{X: planeEdge + s.X*(planeSize-2*planeEdge), Y: planeEdge + s.Y*(planeSize-2*planeEdge), Number: i + 1, Class: t.Mark, Score: t.Mean}
		point.Words = fmt.Sprintf("worker %d: %s", i+1, t.Said)
		if t.Mean != "" {
			point.Words += ", " + t.Mean + " points on average"
		}
		at[i+1] = len(p.Points)
		p.Points = append(p.Points, point)
	}
	part(p.Points)
	members := map[int][]meaningPoint{}
	var words []string
	for i, s := range d.Seats {
		n, shown := at[i+1]
		if !shown {
			continue
		}
		words = append(words, p.Points[n].Words)
		if original, there := at[s.CopyOf]; there {
			a, b := p.Points[n], p.Points[original]
			p.Copies = append(p.Copies, copyLine{a.X, a.Y, b.X, b.Y})
		}
		if s.Cluster > 0 && s.CopyOf == 0 && !s.LowEffort {
			members[s.Cluster] = append(members[s.Cluster], p.Points[n])
		}
	}
	for _, cluster := range slices.Sorted(maps.Keys(members)) {
		all := members[cluster]
		if len(all) < 2 {
			continue
		}
		class := "abstain"
		if cluster == best {
			class = "accept"
		}
		p.Blobs = append(p.Blobs, blob{around(all), class})
	}
	p.Words = "Results as points: " + strings.Join(words, "; ") + "."
	return p
}

// around is a path through points, by their angle around their middle.
func around(all []meaningPoint) string {
	var x, y float64
	for _, p := range all {
		x, y = x+p.X/float64(len(all)), y+p.Y/float64(len(all))
	}
	slices.SortFunc(all, func(a, b meaningPoint) int {
		switch one, two := math.Atan2(a.Y-y, a.X-x), math.Atan2(b.Y-y, b.X-x); {
		case one < two:
			return -1
		case one > two:
			return 1
		}
		return a.Number - b.Number
	})
	var path strings.Builder
	for i, p := range all {
		fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], p.X, p.Y)
	}
	return path.String() + "Z"
}

// part moves points apart that would hide each other, and keeps them in the picture.
func part(all []meaningPoint) {
	inside := func(v float64) float64 {
		return math.Round(10*min(max(v, pointSize+2), planeSize-pointSize-2)) / 10
	}
	for range 300 {
		moved := false
		for i := range all {
			for j := range i {
				dx, dy := all[i].X-all[j].X, all[i].Y-all[j].Y
				far := math.Hypot(dx, dy)
				if far >= leastApart {
					continue
				}
				if moved = true; far < 1e-6 {
					angle := 2 * math.Pi * (float64(i) + 0.3) / float64(len(all))
					dx, dy, far = math.Cos(angle), math.Sin(angle), 1
				}
				push := (leastApart - far + 0.5) / 2
				all[i].X, all[i].Y = all[i].X+dx/far*push, all[i].Y+dy/far*push
				all[j].X, all[j].Y = all[j].X-dx/far*push, all[j].Y-dy/far*push
			}
		}
		for i := range all {
			all[i].X, all[i].Y = inside(all[i].X), inside(all[i].Y)
		}
		if !moved {
			break
		}
	}
}
