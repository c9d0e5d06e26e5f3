package check

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"

	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

// The bounds of the images that code reads.
const (
	maxPixels = 512 << 10 // of an image whose pixels are read
	maxRead   = 2 * maxPixels
	maxScans  = 64 // of a JPEG: each is a look at all of its pixels
)

// picture is an image of a document.
type picture struct {
	raw    []byte
	kind   string
	config image.Config
}

// media: type, size and sides are those that the image itself has, whatever is said about it.
func (s *subject) media() (string, error) {
	m := s.Media
	if m == nil {
		return "", nil
	}
	left := maxImages
	return s.over("is an image as demanded", func(v any) error {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("is %s instead of an image in base64", pointer.Describe(v))
		}
		p, err := open(text)
		if err != nil {
			return err
		}
		if err := p.fits(m); err != nil {
			return err
		}
		if !m.NotBlank && len(m.NotIn) == 0 {
			return nil
		}
		if left--; left < 0 {
			return unknown("code reads the pixels of %d images", maxImages)
		}
		return s.looks(p)
	})
}

// maxImages is how many images of a value have their pixels read.
const maxImages = 1

// open decodes an image as far as its size.
func open(text string) (p picture, err error) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		head, body, found := strings.Cut(rest, ",")
		if !found || !strings.HasSuffix(head, ";base64") {
			return p, errors.New("is a data URL that is not in base64")
		}
		text = body
	}
	if p.raw, err = base64.StdEncoding.DecodeString(text); err != nil {
		return p, errors.New("is no base64, as an image or in a data URL")
	}
	for _, k := range []struct {
		kind, magic string
		config      func(*bytes.Reader) (image.Config, error)
	}{
		{demand.PNG, "\x89PNG\r\n\x1a\n", func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }},
		{demand.JPEG, "\xff\xd8\xff", func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }},
		{demand.GIF, "GIF8", func(r *bytes.Reader) (image.Config, error) { return gif.DecodeConfig(r) }},
	} {
		if bytes.HasPrefix(p.raw, []byte(k.magic)) {
			p.kind = k.kind
			if p.config, err = k.config(bytes.NewReader(p.raw)); err != nil {
				return p, fmt.Errorf("is no whole %s: %w", k.kind, err)
			}
			return p, nil
		}
	}
	return p, fmt.Errorf("has %d bytes that are no PNG, JPEG or GIF", len(p.raw))
}

// fits compares what is known without the pixels.
func (p picture) fits(m *demand.Media) error {
	if len(m.Types) > 0 && !slices.Contains(m.Types, p.kind) {
		return fmt.Errorf("is of the type %s instead of %s", p.kind, strings.Join(m.Types, ", "))
	}
	if err := bounded("bytes", len(p.raw), &demand.Pixels{Min: m.MinBytes, Max: m.MaxBytes}); err != nil {
		return err
	}
	if err := bounded("pixels of width", p.config.Width, m.Width); err != nil {
		return err
	}
	return bounded("pixels of height", p.config.Height, m.Height)
}

func bounded(what string, n int, b *demand.Pixels) error {
	switch {
	case b == nil:
	case b.Min != nil && uint64(n) < *b.Min:
		return fmt.Errorf("has %d %s; at least %d are needed", n, what, *b.Min)
	case b.Max != nil && uint64(n) > *b.Max:
		return fmt.Errorf("has %d %s; at most %d are allowed", n, what, *b.Max)
	}
	return nil
}

// looks reads the pixels: whether they differ, and whether they are those of an image of the task.
func (s *subject) looks(p picture) error {
	read := reader(maxRead)
	for _, path := range s.Media.NotIn {
		other, err := s.given(path)
		if err != nil {
			return err
		}
		if bytes.Equal(other.raw, p.raw) {
			return fmt.Errorf("is the image of the task at %q, byte for byte", path)
		}
	}
	img, err := read.pixels(p)
	if err != nil {
		return err
	}
	if s.Media.NotBlank && oneColour(img) {
		if p.kind == demand.GIF {
			return unknown("the first picture of the GIF has one colour; others may show something")
		}
		return errors.New("is blank: all its pixels have one colour")
	}
	for _, path := range s.Media.NotIn {
		other, err := s.given(path)
		if err != nil {
			return err
		}
		if other.config.Width != p.config.Width || other.config.Height != p.config.Height {
			continue
		}
		was, err := read.pixels(other)
		if err != nil {
			return unknown("the image of the task at %q: %v", path, err)
		}
		if p.kind != demand.GIF && slices.Equal(img.Pix, was.Pix) {
			return fmt.Errorf("has the pixels of the image of the task at %q", path)
		}
	}
	return nil
}

// given opens an image of the task.
func (s *subject) given(path string) (picture, error) {
	v, err := pointer.Find(s.Task, path)
	if err != nil {
		return picture{}, unknown("the task has no image at %q: %v", path, err)
	}
	text, ok := v.(string)
	if !ok {
		return picture{}, unknown("at %q the task has %s instead of an image", path, pointer.Describe(v))
	}
	p, err := open(text)
	if err != nil {
		return picture{}, unknown("what the task has at %q %v", path, err)
	}
	return p, nil
}

// reader decodes images with so many pixels in all.
type reader int

// pixels decodes an image, if that is bounded.
func (left *reader) pixels(p picture) (*image.NRGBA, error) {
	if w, h := p.config.Width, p.config.Height; w <= 0 || h <= 0 || w > maxPixels || h > maxPixels || w*h > maxPixels {
		return nil, unknown("the image has %d times %d pixels; code reads %d", w, h, maxPixels)
	} else if *left -= reader(w * h); *left < 0 {
		return nil, unknown("the images have more than %d pixels in all", maxRead)
	}
	if p.kind == demand.JPEG && bytes.Count(p.raw, []byte("\xff\xda")) > maxScans {
		return nil, unknown("the JPEG has more than %d scans", maxScans)
	}
	var img image.Image
	var err error
	r := bytes.NewReader(p.raw)
	switch p.kind {
	case demand.PNG:
		img, err = png.Decode(r)
	case demand.JPEG:
		img, err = jpeg.Decode(r)
	case demand.GIF:
		img, err = gif.Decode(r)
	}
	if err != nil {
		return nil, fmt.Errorf("is no whole %s: %w", p.kind, err)
	}
	return flat(img), nil
}

// flat copies an image into one form of pixels. Transparent pixels have no colour.
func flat(img image.Image) *image.NRGBA {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, bl, a := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
			i := out.PixOffset(x, y)
			out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = uint8(r>>8), uint8(g>>8), uint8(bl>>8), uint8(a>>8)
		}
	}
	return out
}

func oneColour(img *image.NRGBA) bool {
	for i, c := range img.Pix {
		if c != img.Pix[i%4] {
			return false
		}
	}
	return true
}
