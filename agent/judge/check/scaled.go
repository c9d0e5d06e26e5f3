package check

import (
	"errors"
	"fmt"
	"image"
	"math/big"
)

// grid is how many cells of an image are compared in each direction.
const grid = 16

const colours = 3 // red, green, blue

// shows compares an image with the whole of another one in its own size. First the mean colours of
// the cells of a grid, which any way to scale keeps nearly: it does not show the image if they have
// little in common. Then each pixel with what the usual ways to scale make: it shows the image if
// one of them made all of it. Of a crop, other colours, or a part that is changed or blurred, code
// cannot tell.
func shows(img, whole image.Image, path string) error {
	const near, far = 16, 64 // mean distance of two values of 0 to 255
	a, b := img.Bounds(), whole.Bounds()
	w, h := min(grid, a.Dx(), b.Dx()), min(grid, a.Dy(), b.Dy())
	is, veiled := cells(img, w, h)
	was, veiledToo := cells(whole, w, h)
	n, apart := int64(w*h), int64(0)
	var mine, theirs, both int64 // variances and covariance in each colour, times n*n
	for k := range colours {
		var x, y, xx, yy, xy int64
		for i := k; i < len(is); i += colours {
			p, q := is[i], was[i]
			x, y, xx, yy, xy = x+p, y+q, xx+p*p, yy+q*q, xy+p*q
			apart += max(p-q, q-p)
		}
		mine, theirs, both = mine+n*xx-x*x, theirs+n*yy-y*y, both+n*xy-x*y
	}
	n *= colours
	if theirs == 0 {
		return unknown("the image of the task at %q has one colour in all its parts", path)
	}
	// The square of the correlation is at least that of so many percent.
	correlated := func(percent int64) bool {
		left := new(big.Int).Mul(big.NewInt(both), big.NewInt(both))
		right := new(big.Int).Mul(big.NewInt(mine), big.NewInt(theirs))
		return mine > 0 && both > 0 && left.Mul(left, big.NewInt(100*100)).Cmp(right.Mul(right, big.NewInt(percent*percent))) >= 0
	}
	skewed := 10*a.Dx()*b.Dy() > 11*a.Dy()*b.Dx() || 11*a.Dx()*b.Dy() < 10*a.Dy()*b.Dx()
	switch {
	case correlated(90) && apart <= near*n:
		switch {
		case a.Dx() < min(grid, b.Dx()) || a.Dy() < min(grid, b.Dy()):
			return unknown("with %d times %d pixels it shows too little of the image of the task at %q", a.Dx(), a.Dy(), path)
		case a.Dx()*a.Dy()+b.Dx()*b.Dy() > maxCompared:
			return unknown("it may show the image of the task at %q: code compares each pixel of two images of %d pixels together", path, maxCompared)
		case !resampled(img, whole):
			return unknown("it is like the image of the task at %q as a whole, and differs in parts", path)
		}
		return nil
	case veiled || veiledToo || skewed, correlated(50) && apart <= far*n:
		return unknown("it may show the image of the task at %q in another form", path)
	case mine == 0:
		return errors.New("has one colour in all its parts, and shows nothing of the image of the task")
	}
	return fmt.Errorf("does not show the image of the task at %q in another size", path)
}

// cells returns the mean red, green and blue of the cells of an image before a white ground, and
// whether any of it is transparent.
func cells(img image.Image, w, h int) (out []int64, transparent bool) {
	at, b := flat(img), img.Bounds()
	for j := range h {
		for i := range w {
			var sum [colours]int64
			x0, x1, y0, y1 := i*b.Dx()/w, (i+1)*b.Dx()/w, j*b.Dy()/h, (j+1)*b.Dy()/h
			for y := y0; y < y1; y++ {
				for x := x0; x < x1; x++ {
					c := at(x, y)
					ground := int64(0xff - c[3])
					transparent = transparent || ground > 0
					for k := range sum {
						sum[k] += int64(c[k]) + ground
					}
				}
			}
			for _, s := range sum {
				out = append(out, s/int64((x1-x0)*(y1-y0)))
			}
		}
	}
	return out, transparent
}
