package check

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"

	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

// The bounds of the images that a check reads.
const (
	maxImages = 64       // of a value
	maxPixels = 4 << 20  // of all images of a value; one with 16 bits a channel counts twice
	maxGiven  = 4 << 20  // likewise, of the images of the task that the demand names
	maxLooks  = 32 << 20 // pixels times scans of a JPEG: each scan is a look at all of its pixels
	maxFrames = 256      // of a GIF
)

// picture is an image of a document.
type picture struct {
	raw    []byte
	kind   string
	config image.Config
	end    int // where the image ends; what follows is no part of it
}

// media: type, size and sides are those that the image itself has, whatever is said about it. It is
// decoded as a whole, so that a header alone is no image.
func (s *subject) media() (string, error) {
	m := s.Media
	if m == nil {
		return "", nil
	}
	images, own, given := maxImages, reader(maxPixels), reader(maxGiven)
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
		if images--; images < 0 {
			return unknown("code reads %d images", maxImages)
		}
		img, err := own.pixels(&p)
		if err != nil {
			return err
		}
		if err := bounded("bytes up to its end", p.end, &demand.Pixels{Min: m.MinBytes}); err != nil {
			return err
		}
		return s.looks(p, img, &given)
	})
}

// open decodes an image as far as its size.
func open(text string) (p picture, err error) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		head, body, found := strings.Cut(rest, ",")
		if !found || !strings.HasSuffix(head, ";base64") {
			return p, errors.New("is a data URL that is not in base64")
		}
		text = body
	}
	if p.raw, err = unbase64(text); err != nil {
		return p, err
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
			p.config, err = k.config(bytes.NewReader(p.raw))
			return p, p.fault(err)
		}
	}
	return p, fmt.Errorf("has %d bytes that are no PNG, JPEG or GIF", len(p.raw))
}

// unbase64 decodes base64 in any of its usual forms.
func unbase64(text string) ([]byte, error) {
	for _, form := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if raw, err := form.DecodeString(text); err == nil {
			return raw, nil
		}
	}
	return nil, errors.New("is no base64, as an image or in a data URL")
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

// looks compares the pixels: whether they differ, and how they are to those of images of the task.
func (s *subject) looks(p picture, img image.Image, read *reader) error {
	m := s.Media
	for _, path := range m.NotIn {
		other, err := s.given(path)
		if err != nil {
			return err
		}
		if bytes.Equal(other.raw, p.raw) {
			return fmt.Errorf("is the image of the task at %q, byte for byte", path)
		}
	}
	if m.NotBlank {
		switch whole := oneColour(img); {
		case whole && p.kind == demand.GIF && p.moving():
			return unknown("the first picture of the GIF has one colour; others may show something")
		case whole:
			return errors.New("is blank: all its pixels have one colour")
		}
	}
	for _, path := range m.NotIn {
		other, err := s.given(path)
		if err != nil {
			return err
		}
		if other.config.Width != p.config.Width || other.config.Height != p.config.Height {
			continue
		}
		was, err := read.pixels(&other)
		if err != nil {
			return unknown("the image of the task at %q: %v", path, err)
		}
		if p.kind != demand.GIF && equalPixels(img, was) {
			return fmt.Errorf("has the pixels of the image of the task at %q", path)
		}
	}
	if m.ScaledFrom == nil {
		return nil
	}
	other, err := s.given(*m.ScaledFrom)
	if err != nil {
		return err
	}
	was, err := read.pixels(&other)
	if err != nil {
		return unknown("the image of the task at %q: %v", *m.ScaledFrom, err)
	}
	return shows(img, was, *m.ScaledFrom)
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

// pixels decodes an image as a whole, if that is bounded. Of a GIF it returns the first picture.
func (left *reader) pixels(p *picture) (img image.Image, err error) {
	w, h := p.config.Width, p.config.Height
	if w <= 0 || h <= 0 || w > maxPixels || h > maxPixels {
		return nil, unknown("the image has %d times %d pixels; code reads %d", w, h, maxPixels)
	}
	cost := w * h
	switch p.config.ColorModel {
	case color.NRGBA64Model, color.RGBA64Model, color.Gray16Model:
		cost *= 2
	}
	r := bytes.NewReader(p.raw)
	switch p.kind {
	case demand.GIF:
		frames, err := framesOf(p.raw)
		if err != nil {
			return nil, err
		}
		cost = max(cost, frames.pixels)
		p.end = frames.end
	case demand.JPEG:
		if scans := bytes.Count(p.raw, []byte("\xff\xda")); scans*w*h > maxLooks {
			return nil, unknown("the JPEG has %d scans of %d pixels; code looks at %d in all", scans, w*h, maxLooks)
		}
	}
	if *left -= reader(cost); *left < 0 {
		return nil, unknown("the images have more than %d pixels in all", maxPixels)
	}
	switch p.kind {
	case demand.PNG:
		img, err = png.Decode(r)
		p.end = len(p.raw) - r.Len()
	case demand.JPEG:
		img, err = jpeg.Decode(r)
		p.end = bytes.LastIndex(p.raw, []byte("\xff\xd9")) + 2
	case demand.GIF:
		var all *gif.GIF
		if all, err = gif.DecodeAll(r); err == nil {
			img = all.Image[0]
		}
	}
	return img, p.fault(err)
}

// fault says what an error of a decoder means. What the decoder does not know, and what other ones
// may read, is for others to tell; what is missing is missing.
func (p *picture) fault(err error) error {
	var odd png.UnsupportedError
	var strange jpeg.UnsupportedError
	var wrong jpeg.FormatError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &odd), errors.As(err, &strange):
		return unknown("the image has a form that code does not read: %v", err)
	case errors.As(err, &wrong) && p.end > bytes.LastIndex(p.raw, []byte("\xff\xda")), p.kind == demand.GIF && !errors.Is(err, io.ErrUnexpectedEOF):
		return unknown("the image may be damaged: %v", err)
	}
	return fmt.Errorf("is no whole %s: %w", p.kind, err)
}

// moving reports whether a GIF has several pictures, or one that is not the whole.
func (p *picture) moving() bool {
	frames, err := framesOf(p.raw)
	return err != nil || frames.n != 1 || frames.pixels != p.config.Width*p.config.Height
}

// frames says what a GIF has: pictures, their pixels, and its end.
type frames struct{ n, pixels, end int }

// framesOf walks over the blocks of a GIF, without decoding them.
func framesOf(raw []byte) (f frames, err error) {
	const header, descriptor, extension, picture, trailer = 13, 9, 0x21, 0x2c, 0x3b
	cut := fmt.Errorf("is no whole %s: it ends before its end", demand.GIF)
	if len(raw) < header {
		return f, cut
	}
	table := func(flags byte) int {
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	at := header + table(raw[10])
	for at < len(raw) {
		kind := raw[at]
		at++
		switch kind {
		case trailer:
			f.end = at
			if f.n == 0 {
				return f, fmt.Errorf("is no whole %s: it has no picture", demand.GIF)
			}
			return f, nil
		case extension:
			at++ // its label
		case picture:
			if at+descriptor >= len(raw) {
				return f, cut
			}
			d := raw[at : at+descriptor]
			f.n, f.pixels = f.n+1, f.pixels+(int(d[4])|int(d[5])<<8)*(int(d[6])|int(d[7])<<8)
			if f.n > maxFrames || f.pixels > maxPixels {
				return f, unknown("the GIF has more than %d pictures, or %d pixels in all", maxFrames, maxPixels)
			}
			at += descriptor + table(d[8]) + 1 // and the size of codes
		case 0:
			continue // some writers add one
		default:
			return f, unknown("the GIF has a block of another kind")
		}
		for at < len(raw) && raw[at] != 0 {
			at += 1 + int(raw[at])
		}
		at++
	}
	return f, cut
}

// flat returns the colour of each pixel as red, green, blue and alpha. Transparent pixels have no
// colour.
func flat(img image.Image) func(x, y int) [4]uint8 {
	b := img.Bounds()
	switch img := img.(type) {
	case *image.NRGBA:
		return func(x, y int) [4]uint8 {
			c := img.Pix[img.PixOffset(b.Min.X+x, b.Min.Y+y):]
			if c[3] == 0xff {
				return [4]uint8(c[:4])
			}
			r, g, bl, a := color.NRGBA{c[0], c[1], c[2], c[3]}.RGBA()
			return [4]uint8{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), uint8(a >> 8)}
		}
	case *image.RGBA:
		return func(x, y int) [4]uint8 { return [4]uint8(img.Pix[img.PixOffset(b.Min.X+x, b.Min.Y+y):][:4]) }
	case *image.Gray:
		return func(x, y int) [4]uint8 {
			c := img.Pix[img.PixOffset(b.Min.X+x, b.Min.Y+y)]
			return [4]uint8{c, c, c, 0xff}
		}
	case *image.YCbCr:
		return func(x, y int) [4]uint8 {
			c := img.YCbCrAt(b.Min.X+x, b.Min.Y+y)
			r, g, bl := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
			return [4]uint8{r, g, bl, 0xff}
		}
	case *image.Paletted:
		colours := make([][4]uint8, 256)
		for i, c := range img.Palette {
			colours[i] = eight(c)
		}
		return func(x, y int) [4]uint8 { return colours[img.ColorIndexAt(b.Min.X+x, b.Min.Y+y)] }
	}
	return func(x, y int) [4]uint8 { return eight(img.At(b.Min.X+x, b.Min.Y+y)) }
}

// eight is a colour with 8 bits a channel.
func eight(c color.Color) [4]uint8 {
	r, g, b, a := c.RGBA()
	return [4]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
}

// oneColour stops at the first pixel that differs.
func oneColour(img image.Image) bool {
	at := flat(img)
	first, b := at(0, 0), img.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			if at(x, y) != first {
				return false
			}
		}
	}
	return true
}

// equalPixels compares two images of one size.
func equalPixels(a, b image.Image) bool {
	one, two, size := flat(a), flat(b), a.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			if one(x, y) != two(x, y) {
				return false
			}
		}
	}
	return true
}
