package check

import (
	"image"
	"math"
)

// maxCompared are the pixels of two images together that are compared one by one.
const maxCompared = 3 << 18

// resampled reports whether an image has, at each of its pixels, what one of the usual ways of
// scaling makes of the other one: the nearest pixel, the mean, or a kernel. A line of text that was
// changed, removed or blurred differs from each of them.
func resampled(img, whole image.Image) bool {
	is, was := ground(img), ground(whole)
	for _, k := range kernels {
		if is.agrees(was.scaled(is.w, is.h, k)) {
			return true
		}
	}
	for _, part := range []int{0, 1} { // the pixel at the corner, or at the centre
		if is.agrees(was.picked(is.w, is.h, part)) {
			return true
		}
	}
	return false
}

// raster is an image of red, green and blue.
type raster struct {
	w, h int
	pix  []uint8
}

// ground returns an image before a white ground.
func ground(img image.Image) raster {
	at, b := flat(img), img.Bounds()
	r := raster{b.Dx(), b.Dy(), make([]uint8, colours*b.Dx()*b.Dy())}
	i := 0
	for y := range r.h {
		for x := range r.w {
			c := at(x, y)
			for k := range colours {
				r.pix[i+k] = c[k] + 0xff - c[3]
			}
			i += colours
		}
	}
	return r
}

// agrees compares two rasters of one size. Where the other one has edges nearby, ways to scale and
// to compress differ by a share of the step.
func (r raster) agrees(other raster) bool {
	const flatly, share = 8, 8
	for i, v := range r.pix {
		apart := max(v, other.pix[i]) - min(v, other.pix[i])
		if apart > flatly && int(apart) > flatly+other.step(i)/share {
			return false
		}
	}
	return true
}

// step is the span of the values around one of a raster.
func (r raster) step(i int) int {
	const around = 3
	x, y, k := i/colours%r.w, i/colours/r.w, i%colours
	least, most := r.pix[i], r.pix[i]
	for v := max(y-around, 0); v <= min(y+around, r.h-1); v++ {
		for u := max(x-around, 0); u <= min(x+around, r.w-1); u++ {
			c := r.pix[(v*r.w+u)*colours+k]
			least, most = min(least, c), max(most, c)
		}
	}
	return int(most - least)
}

// picked takes one pixel for each: at part halves of its place.
func (r raster) picked(w, h, part int) raster {
	out := raster{w, h, make([]uint8, 0, colours*w*h)}
	for y := range h {
		row := (2*y + part) * r.h / (2 * h) * r.w
		for x := range w {
			i := (row + (2*x+part)*r.w/(2*w)) * colours
			out.pix = append(out.pix, r.pix[i:i+colours]...)
		}
	}
	return out
}

// kernel weighs a pixel by its distance from the centre in units of one/pixel, up to a reach.
type kernel struct {
	reach  int // in halves of a pixel
	weight func(t int64) int64
}

// one is a whole in the fixed point of the kernels. They count in integers, so that they weigh the
// same on every machine.
const one = 1 << 12

var kernels = []kernel{
	{1, func(int64) int64 { return one }},
	{2, func(t int64) int64 { return one - t }},
	{4, func(t int64) int64 {
		if t < one {
			return (3*t*t/one*t/one-5*t*t/one)/2 + one
		}
		return (-t*t/one*t/one+5*t*t/one)/2 - 4*t + 2*one
	}},
	{6, func(t int64) int64 { return windowed[min(t*windows/one, int64(len(windowed)-1))] }},
}

// windowed is the sinc function in the window of its three middle waves (Lanczos), in steps of
// one/windows.
const windows = 64

var windowed = func() (out [3 * windows]int64) {
	sinc := func(x float64) float64 { return math.Sin(math.Pi*x) / (math.Pi * x) }
	for i := range out {
		x := (float64(i) + 0.5) / windows
		out[i] = int64(math.Round(one * sinc(x) * sinc(x/3)))
	}
	return out
}()

// tap is a run of pixels and their weights.
type tap struct {
	from    int
	weights []int64
	sum     int64
}

// taps returns what makes each of n pixels from m.
func (k kernel) taps(m, n int) []tap {
	out, d := make([]tap, n), int64(2*max(m, n))
	for i := range out {
		centre := int64(2*i+1) * int64(m) // in halves of 1/n of a pixel
		reach := int64(k.reach) * d / 2
		from := max((centre-reach)/int64(2*n)-1, 0)
		t := tap{from: int(from)}
		for x := from; x < int64(m); x++ {
			away := (2*x+1)*int64(n) - centre
			if away > reach {
				break
			}
			w := int64(0)
			if away >= -reach && (away > -reach || k.reach != 1) { // a mean has each pixel once
				w = k.weight(max(away, -away) * one / d)
			}
			t.weights, t.sum = append(t.weights, w), t.sum+w
		}
		out[i] = t
	}
	return out
}

// scaled makes an image of another size.
func (r raster) scaled(w, h int, k kernel) raster {
	wide := make([]uint8, colours*w*r.h)
	across := k.taps(r.w, w)
	for y := range r.h {
		row := r.pix[y*r.w*colours : (y+1)*r.w*colours]
		for x, t := range across {
			var sum [colours]int64
			i := t.from * colours
			for _, weight := range t.weights {
				sum[0] += weight * int64(row[i])
				sum[1] += weight * int64(row[i+1])
				sum[2] += weight * int64(row[i+2])
				i += colours
			}
			for c, s := range sum {
				wide[(y*w+x)*colours+c] = t.value(s)
			}
		}
	}
	out := raster{w, h, make([]uint8, colours*w*h)}
	sums := make([]int64, w*colours)
	for y, t := range k.taps(r.h, h) {
		clear(sums)
		for j, weight := range t.weights {
			for i, v := range wide[(t.from+j)*w*colours : (t.from+j+1)*w*colours] {
				sums[i] += weight * int64(v)
			}
		}
		for i, s := range sums {
			out.pix[y*w*colours+i] = t.value(s)
		}
	}
	return out
}

// value is a sum of weighed values, as one of them.
func (t tap) value(sum int64) uint8 {
	return uint8(min(max((sum+t.sum/2)/t.sum, 0), 0xff))
}
