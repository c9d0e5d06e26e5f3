package oju_test

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"testing"
)

const (
	curvePage    = "../../../../docs/judges-curves.md"
	curvePicture = "../../../../docs/img/judges-curves.svg"
)

// costCurve is a curve of the page: the units of an instruction by the number of judges, 0 where
// the court is too small for it.
type costCurve struct {
	name, colour string
	dashed       bool
	units        []uint64
}

// costCurves picks the curves of the page from all rows. The dearest is that of all known states.
func costCurves(rows map[string][]uint64) []costCurve {
	dearest := func(prefixes ...string) []uint64 {
		out := make([]uint64, len(sizes()))
		for name, units := range rows {
			if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
				for i, n := range units {
					out[i] = max(out[i], n)
				}
			}
		}
		return out
	}
	return []costCurve{
		{"draw", "#0969da", false, rows["draw"]},
		{"draw, the dearest", "#0969da", true, dearest("draw")},
		{"settle", "#1a7f37", false, rows["settle"]},
		{"settle, the dearest", "#1a7f37", true, dearest("settle")},
		{"begin_season", "#cf222e", false, rows["begin_season"]},
		{"begin_season, the dearest", "#cf222e", true, dearest("begin_season", "season", "early")},
		{"join_roster", "#8250df", false, rows["join_roster"]},
		{"top_up", "#bf8700", false, rows["top_up"]},
	}
}

// laws are the forms of growth that are tried, the slowest first.
func laws() []struct {
	name string
	of   func(n float64) float64
} {
	return []struct {
		name string
		of   func(n float64) float64
	}{
		{"log₂ n", math.Log2}, {"√n", math.Sqrt}, {"n", func(n float64) float64 { return n }},
	}
}

// grouped writes a number with its thousands apart; nothing for 0.
func grouped(n uint64) string {
	if n == 0 {
		return ""
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// law returns the form a + b·f(n) that is nearest to a curve from 128 judges on, and its largest
// relative error. A curve that stays within 3 % of a number has no form.
func (l costCurve) law() (text string, off float64) {
	var at, units []float64
	for i, judges := range sizes() {
		if judges >= 128 {
			at, units = append(at, float64(judges)), append(units, float64(l.units[i]))
		}
	}
	least, most := slices.Min(units), slices.Max(units)
	if middle := (least + most) / 2; (most-middle)/middle < 0.03 {
		return grouped(uint64(middle)), (most - middle) / middle
	}
	off = math.Inf(1)
	for _, form := range laws() {
		var s, x, xx, y, xy float64 // sums, each point weighted by its relative error
		for i, n := range at {
			f, w := form.of(n), 1/(units[i]*units[i])
			s, x, xx, y, xy = s+w, x+w*f, xx+w*f*f, y+w*units[i], xy+w*f*units[i]
		}
		b := (s*xy - x*y) / (s*xx - x*x)
		a, worst := (y-b*x)/s, 0.0
		for i, n := range at {
			worst = max(worst, math.Abs(a+b*form.of(n)-units[i])/units[i])
		}
		if worst < off {
			off, text = worst, fmt.Sprintf("%.0f + %.4g·%s", a, b, form.name)
		}
	}
	return text, off
}

// curvesPage writes the table of the curves.
func curvesPage(all []costCurve) string {
	var b strings.Builder
	b.WriteString(`# What a larger court costs

<!-- Written by: make judges-curves -->

Compute units of instructions by the number of judges, measured on the embedded chain with the
program itself. A transaction may take 1,400,000. ` + "`make judges-curves`" + ` measures them, and writes
this page and the picture. Its test fails if a figure changes, or is above 95 % of the limit.

![Compute units of a draw, a settlement and a season by the number of judges](img/judges-curves.svg)

| instruction |`)
	for _, judges := range sizes() {
		fmt.Fprintf(&b, " %s |", grouped(uint64(judges)))
	}
	b.WriteString(" 512 to 10,240 | law | off by |\n|---|" + strings.Repeat("---:|", len(sizes())+1) + "---|---:|\n")
	for _, l := range all {
		fmt.Fprintf(&b, "| %s |", l.name)
		for _, units := range l.units {
			fmt.Fprintf(&b, " %s |", grouped(units))
		}
		law, off := l.law()
		last := len(l.units) - 1
		fmt.Fprintf(&b, " ×%.2f | %s | %.1f %% |\n", float64(l.units[last])/float64(l.units[last-2]), law, 100*off)
	}
	b.WriteString(`
The law is the nearest of ` + "`a + b·f(n)`" + ` for log₂ n, √n and n, from 128 judges on, by relative
error; a single number if the curve stays within 3 % of it. In a court of 28 all judges sit.

"The dearest" is that of all states of the court that we know to be dear:
[testdata/curve.txt](../ledger/svm/difftest/oju/testdata/curve.txt) has each, and [ADR
0219](adr/0219-ten-thousand-judges-in-one-account.md) says what they are. A case's draw grows no
faster than the square root of the judges, beside a large fixed part, and its settlement not at all.
Both grow with the number of judges only in a court in which most of them are party to the case, or
too light.
`)
	return b.String()
}

// The places of the picture, in pixels.
const (
	pictureWidth  = 980
	pictureHeight = 520
	pictureLeft   = 90
	pictureRight  = 700
	pictureTop    = 40
	pictureBottom = 470
)

// place returns the pixels of a point on two logarithmic axes.
func place(judges, units float64) (x, y float64) {
	part := func(v, least, most float64) float64 { return math.Log(v/least) / math.Log(most/least) }
	list := sizes()
	x = pictureLeft + (pictureRight-pictureLeft)*part(judges, float64(list[0]), float64(list[len(list)-1]))
	return x, pictureBottom - (pictureBottom-pictureTop)*part(units, 1_000, 2_000_000)
}

// curvesPicture draws the curves.
func curvesPicture(all []costCurve) string {
	var b strings.Builder
	write := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="13" fill="#1f2328">`, pictureWidth, pictureHeight, pictureWidth, pictureHeight)
	write(`<title id="title">Compute units by the number of judges</title>`)
	write(`<desc id="desc">Two logarithmic axes. A draw and a settlement hardly grow; joining and a season grow with the number of judges. ` +
		`Dashed lines are the dearest known states. All stay below the limit of 1,400,000.</desc>`)
	write(`<rect width="%d" height="%d" fill="#ffffff"/>`, pictureWidth, pictureHeight)
	for _, judges := range sizes() {
		x, _ := place(float64(judges), 1_000)
		write(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#d0d7de"/>`, x, x, pictureTop, pictureBottom)
		write(`<text x="%.1f" y="%d" text-anchor="middle" fill="#59636e">%s</text>`, x, pictureBottom+20, grouped(uint64(judges)))
	}
	write(`<text x="%d" y="%d" text-anchor="middle" fill="#59636e">judges</text>`, (pictureLeft+pictureRight)/2, pictureBottom+40)
	for _, units := range []uint64{1_000, 10_000, 100_000, 1_000_000, 1_400_000} {
		_, y := place(28, float64(units))
		colour, name := "#d0d7de", grouped(units)
		if units == 1_400_000 {
			colour, name = "#1f2328", "the limit"
		}
		write(`<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s"/>`, pictureLeft, pictureRight, y, y, colour)
		write(`<text x="%d" y="%.1f" text-anchor="end" fill="#59636e">%s</text>`, pictureLeft-8, y+4, name)
	}
	write(`<text x="%d" y="24" fill="#59636e">compute units of a transaction</text>`, pictureLeft)
	ends := slices.Clone(all)
	slices.SortFunc(ends, func(x, y costCurve) int { return int(y.units[len(y.units)-1]) - int(x.units[len(x.units)-1]) })
	below := 0.0
	for _, l := range ends {
		dash := ""
		if l.dashed {
			dash = ` stroke-dasharray="6 4"`
		}
		var points []string
		var x, y float64
		for i, judges := range sizes() {
			x, y = place(float64(judges), float64(l.units[i]))
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		}
		write(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`, strings.Join(points, " "), l.colour, dash)
		below = max(below+17, y+4)
		write(`<text x="%.1f" y="%.1f" fill="%s">%s %s</text>`, x+10, below, l.colour, html.EscapeString(l.name),
			grouped(l.units[len(l.units)-1]))
	}
	write("</svg>")
	return b.String()
}

// curves compares the page and the picture with the measured rows.
func curves(t *testing.T, rows map[string][]uint64) {
	t.Helper()
	all := costCurves(rows)
	golden(t, curvePage, curvesPage(all))
	golden(t, curvePicture, curvesPicture(all))
}
