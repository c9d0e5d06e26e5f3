package policy

import (
	"html"
	"io"
)

// marks are the strategies of the picture.
var marks = []struct{ name, colour string }{
	{"always reject", "#cf222e"}, {"coin", "#8c959f"}, {"copy the majority", "#bf8700"}, {"average judge", "#0969da"}, {"knows the truth", "#1a7f37"},
}

// The places of the picture.
const (
	pictureWidth = 980
	pictureTop   = 96
	pictureRow   = 24
	pictureNames = 215
	pictureAxis  = 340 // of one of the two axes
	pictureGap   = 40
)

// axis turns money into a place.
type axis struct {
	left        float64
	least, most float64
}

func (a axis) x(money float64) float64 {
	return a.left + (money-a.least)/(a.most-a.least)*pictureAxis
}

// SVG writes a picture of what strategies earn in each pool, today and under preset truth.
func (r *Findings) SVG(w io.Writer) error {
	p := &page{w: w}
	height := pictureTop + pictureRow*len(r.Pools) + 40
	p.line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="13" fill="#1f2328">`, pictureWidth, height, pictureWidth, height)
	p.line(`<title id="title">What judges earn in each pool</title>`)
	p.line(`<desc id="desc">For each pool a row, with a dot for each strategy, under the rules of today and under preset truth. ` +
		`Under preset truth the judge that knows the truth is on the right in every row, and those that read nothing are left of zero.</desc>`)
	p.line(`<rect width="%d" height="%d" fill="#ffffff"/>`, pictureWidth, height)
	for i, m := range marks {
		x := 16 + 190*i
		p.line(`<circle cx="%d" cy="22" r="5" fill="%s"/><text x="%d" y="26">%s</text>`, x, m.colour, x+11, m.name)
	}
	for n, court := range []int{0, truthAt} {
		a := axis{left: pictureNames + float64(n)*(pictureAxis+pictureGap)}
		for _, m := range marks {
			least, most := r.span(court, m.name)
			a.least, a.most = min(a.least, least), max(a.most, most)
		}
		edge := (a.most - a.least) / 30
		a.least, a.most = a.least-edge, a.most+edge
		r.panel(p, court, a, float64(height-40))
	}
	for i, pool := range r.Pools {
		p.line(`<text x="12" y="%d">%s</text>`, pictureTop+pictureRow*i+pictureRow/2+4, html.EscapeString(pool.Name))
	}
	p.line("</svg>")
	return p.err
}

// panel draws one court.
func (r *Findings) panel(p *page, court int, a axis, bottom float64) {
	p.line(`<text x="%.1f" y="58" font-weight="600">%s</text><text x="%.1f" y="76" fill="#59636e">mSOL a case</text>`,
		a.left, html.EscapeString(r.Courts[court].Name), a.left)
	for _, tick := range []float64{-10, -5, -1, -.5, 0, .5, 1, 5, 10} {
		if tick < a.least || tick > a.most || tick != 0 && a.most-a.least > 8 && tick > -5 && tick < 5 {
			continue
		}
		colour := "#d0d7de"
		if tick == 0 {
			colour = "#1f2328"
		}
		p.line(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%.1f" stroke="%s"/><text x="%.1f" y="%.1f" text-anchor="middle" fill="#59636e">%g</text>`,
			a.x(tick), a.x(tick), pictureTop-8, bottom, colour, a.x(tick), bottom+18, tick)
	}
	for i, pool := range r.Pools {
		y := pictureTop + pictureRow*i + pictureRow/2
		for _, m := range marks {
			e, _ := pool.Courts[court].of(m.name)
			p.line(`<circle cx="%.1f" cy="%d" r="5" fill="%s" fill-opacity="0.85"/>`, a.x(e.Earns[1]), y, m.colour)
		}
	}
}
