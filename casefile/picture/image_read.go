//go:build !js

package picture

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"ojud/casefile"
)

// imageIn reads a picture as far as its size. It is not ok for other content, and for a picture
// that is too large to be shown.
func imageIn(raw []byte) (i Image, ok bool) {
	for _, k := range []struct {
		kind, magic string
		config      func(*bytes.Reader) (image.Config, error)
	}{
		{"image/png", "\x89PNG\r\n\x1a\n", func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }},
		{"image/jpeg", "\xff\xd8\xff", func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }},
		{"image/gif", "GIF8", func(r *bytes.Reader) (image.Config, error) { return gif.DecodeConfig(r) }},
	} {
		if !bytes.HasPrefix(raw, []byte(k.magic)) || len(raw) > maxImage {
			continue
		}
		c, err := k.config(bytes.NewReader(raw))
		if err != nil || c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxPixels {
			return i, false
		}
		return Image{k.kind, raw, c.Width, c.Height, casefile.Digest(casefile.HashOf(raw))}, true
	}
	return i, false
}
