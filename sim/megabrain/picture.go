package megabrain

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// The places of the picture, in pixels.
const (
	pictureWidth = 900
	pictureTop   = 70
	pictureRow   = 34
	pictureLeft  = 230
	pictureUnit  = 17 // of one percent
	pictureZero  = pictureLeft + 5*pictureUnit
)

func at(percent float64) float64 { return pictureZero + pictureUnit*percent }

// SVG writes a picture of what honest agents and the others earn in each mix.
func (f *Findings) SVG(w io.Writer) error {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	height := pictureTop + pictureRow*len(f.Mixes) + 30
	line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="13" fill="#1f2328">`, pictureWidth, height, pictureWidth, height)
	line(`<title id="title">What agents of MegaBrain earn</title>`)
	line(`<desc id="desc">For each mix a row with what honest agents and the others earn, in percent of the budget. ` +
		`Filled dots are by our payments with golden tasks, rings by the protocol as it is written.</desc>`)
	line(`<rect width="%d" height="%d" fill="#ffffff"/>`, pictureWidth, height)
	for i, mark := range []struct{ fill, stroke, name string }{
		{"#1a7f37", "#1a7f37", "honest, ours"}, {"#cf222e", "#cf222e", "other, ours"}, {"#ffffff", "#1a7f37", "honest, as written"}, {"#ffffff", "#cf222e", "other, as written"},
	} {
		line(`<circle cx="%d" cy="22" r="5" fill="%s" stroke="%s" stroke-width="2"/><text x="%d" y="26">%s</text>`, 20+190*i, mark.fill, mark.stroke, 32+190*i, mark.name)
	}
	for percent := -5; percent <= 30; percent += 5 {
		x := at(float64(percent))
		line(`<line x1="%.0f" y1="56" x2="%.0f" y2="%d" stroke="#d0d7de"/><text x="%.0f" y="50" text-anchor="middle" fill="#59636e">%d %%</text>`, x, x, height-24, x, percent)
	}
	for i, m := range f.Mixes {
		y := pictureTop + pictureRow*i + pictureRow/2
		line(`<text x="12" y="%d">%s</text>`, y+4, html.EscapeString(m.Name))
		dots := []struct {
			percent      float64
			fill, stroke string
			up           int
		}{{m.Ours.Honest, "#1a7f37", "#1a7f37", -6}, {m.Written.Honest, "#ffffff", "#1a7f37", 6}}
		if i > 0 {
			line(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#8c959f"/>`, at(m.Ours.Other), y-6, at(m.Ours.Honest), y-6)
			line(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#8c959f"/>`, at(m.Written.Other), y+6, at(m.Written.Honest), y+6)
			dots = append(dots, dots...)
			dots[2].percent, dots[2].fill, dots[2].stroke = m.Ours.Other, "#cf222e", "#cf222e"
			dots[3].percent, dots[3].stroke = m.Written.Other, "#cf222e"
		}
		for _, d := range dots {
			line(`<circle cx="%.1f" cy="%d" r="5" fill="%s" stroke="%s" stroke-width="2"/>`, at(d.percent), y+d.up, d.fill, d.stroke)
		}
	}
	line(`<text x="12" y="%d" fill="#59636e">Percent of the budget for each turn of an agent, after the cost of the work.</text>`, height-8)
	line("</svg>")
	_, err := io.WriteString(w, b.String())
	return err
}
