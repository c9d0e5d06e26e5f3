package check_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile/demand"
)

// drawn is an image with as many colours as asked.
func drawn(w, h, colours int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.NRGBA{R: uint8((x + y) % colours * 40), G: 90, B: 10, A: 255})
		}
	}
	return img
}

// encoded is an image in base64.
func encoded(t testing.TB, kind string, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case demand.PNG:
		err = png.Encode(&b, img)
	case demand.JPEG:
		err = jpeg.Encode(&b, img, nil)
	case demand.GIF:
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// seen makes the demand on an image. The task has another one.
func seen(t testing.TB, demanded, value, other string) (string, error) {
	t.Helper()
	var d demand.Demands
	if err := json.Unmarshal([]byte(`{"media":`+demanded+`}`), &d); err != nil {
		t.Fatal(err)
	}
	found, err := check.Make(d, value, check.Papers{Task: map[string]any{"input_data": []any{other}}})
	return strings.Join(found, ", "), err
}

// TestMedia: type, size, pixels, blank images and copies.
func TestMedia(t *testing.T) {
	photo := encoded(t, demand.PNG, drawn(40, 30, 5))
	raw, err := base64.StdEncoding.DecodeString(photo)
	if err != nil {
		t.Fatal(err)
	}
	palette := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{})
	for i := range 5 {
		palette.Palette = append(palette.Palette, color.NRGBA{R: uint8(i * 40), G: 90, B: 10, A: 255})
	}
	for y := range 30 {
		for x := range 40 {
			palette.SetColorIndex(x, y, uint8((x+y)%5))
		}
	}
	bytesOf := func(kind string, img image.Image) []byte {
		raw, err := base64.StdEncoding.DecodeString(encoded(t, kind, img))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	dot := image.NewNRGBA(image.Rect(0, 0, 1920, 1080))
	dot.Set(3, 3, color.NRGBA{R: 1, G: 2, B: 3, A: 255})
	dotted, wide := bytesOf(demand.PNG, dot), bytesOf(demand.JPEG, dot)
	var b bytes.Buffer
	blank, striped := image.NewPaletted(image.Rect(0, 0, 9, 9), palette.Palette), image.NewPaletted(image.Rect(0, 0, 9, 9), palette.Palette)
	striped.SetColorIndex(4, 4, 2)
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{blank, striped}, Delay: []int{0, 0}}); err != nil {
		t.Fatal(err)
	}
	moving := b.Bytes()
	for _, c := range []struct{ demanded, value, want string }{
		{`{}`, photo, met},
		{`{"types":["image/png"],"width":{"min":40,"max":40},"height":{"max":30},"min_bytes":10,"max_bytes":9999,"not_blank":true}`, "data:image/jpeg;base64," + photo, met},
		{`{"types":["image/jpeg"]}`, photo, "of the type image/png instead of image/jpeg"},
		{`{"types":["image/jpeg","image/gif"]}`, encoded(t, demand.JPEG, drawn(9, 9, 3)), met},
		{`{"types":["image/gif"],"not_blank":true}`, encoded(t, demand.GIF, drawn(9, 9, 3)), met},
		{`{"width":{"min":41}}`, photo, "has 40 pixels of width; at least 41"},
		{`{"height":{"max":29}}`, photo, "has 30 pixels of height; at most 29"},
		{`{"max_bytes":20}`, photo, "at most 20 are allowed"},
		{`{"not_blank":true}`, encoded(t, demand.PNG, drawn(40, 30, 1)), "is blank"},
		{`{"not_blank":true}`, encoded(t, demand.PNG, image.NewNRGBA(image.Rect(0, 0, 9, 9))), "is blank"},
		{`{"not_blank":true}`, encoded(t, demand.JPEG, drawn(40, 30, 1)), "is blank"},
		{`{"not_blank":true}`, encoded(t, demand.GIF, image.NewPaletted(image.Rect(0, 0, 9, 9), palette.Palette)), "is blank"},
		{`{"not_in":["/input_data/0"]}`, "data:image/png;base64," + photo, "byte for byte"},
		{`{"not_in":["/input_data/0"]}`, encoded(t, demand.PNG, palette), "has the pixels of the image"},
		{`{"not_in":["/input_data/0"]}`, encoded(t, demand.PNG, drawn(40, 30, 4)), met},
		{`{"not_in":["/input_data/0"]}`, encoded(t, demand.PNG, drawn(30, 40, 5)), met},
		{`{"not_in":["/input_data/1"]}`, photo, unknown},
		{`{"not_blank":true}`, encoded(t, demand.PNG, drawn(2000, 2, 3)), met},
		{`{"not_blank":true}`, encoded(t, demand.PNG, drawn(1000, 600, 1)), "is blank"},
		{`{"not_blank":true}`, encoded(t, demand.PNG, drawn(1920, 1080, 1)), "is blank"},
		{`{"not_blank":true}`, encoded(t, demand.PNG, image.NewGray(image.Rect(0, 0, 2100, 2000))), unknown}, // beyond the limit
		{`{"width":{"min":1920}}`, base64.StdEncoding.EncodeToString(dotted[:33]), "no whole image/png"},
		{`{"min_bytes":100000,"width":{"min":1920}}`, base64.StdEncoding.EncodeToString(append(slices.Clone(dotted[:33]), make([]byte, 100000)...)), "no whole image/png"},
		{`{"min_bytes":100000}`, base64.StdEncoding.EncodeToString(append(slices.Clone(raw), make([]byte, 100000)...)), "up to its end; at least 100000"},
		{`{"types":["image/jpeg"],"width":{"min":1920}}`, base64.StdEncoding.EncodeToString(wide[:700]), "no whole image/jpeg"},
		{`{"types":["image/jpeg"]}`, base64.StdEncoding.EncodeToString(append(slices.Clone(wide[:700]), make([]byte, 9000)...)), "no whole image/jpeg"},
		{`{"types":["image/jpeg"]}`, base64.StdEncoding.EncodeToString(append(append(slices.Clone(wide[:700]), make([]byte, 900)...), 0xff, 0xd9)), unknown}, // others may read it
		{`{"types":["image/gif"]}`, base64.StdEncoding.EncodeToString(moving[:len(moving)-9]), "no whole image/gif"},
		{`{"not_blank":true}`, base64.StdEncoding.EncodeToString(moving), unknown}, // its first picture is blank
		{`{}`, strings.TrimRight(base64.URLEncoding.EncodeToString(raw), "="), met},
		{`{}`, "https://example.org/logo.png", "no base64"},
		{`{}`, "data:image/svg+xml,%3Csvg", "data URL that is not in base64"},
		{`{}`, base64.StdEncoding.EncodeToString([]byte("%PDF-1.7")), "no PNG, JPEG or GIF"},
		{`{}`, base64.StdEncoding.EncodeToString(raw[:20]), "no whole image/png"},
		{`{"not_blank":true}`, base64.StdEncoding.EncodeToString(raw[:len(raw)-30]), "no whole image/png"},
		{`{}`, "", "no PNG"},
	} {
		found, err := seen(t, c.demanded, c.value, photo)
		say(t, c.demanded+" on "+c.value[:min(len(c.value), 40)], c.want, found, err)
	}
	table(t, []row{
		{`"each":"/i","media":{}`, `[{"i":"` + photo + `"},{"i":7}]`, "item 1 is a number"},
		{`"each":"/i","media":{"not_blank":true}`, `[{"i":"` + photo + `"},{"i":"` + photo + `"}]`, met},
		{`"each":"/i","media":{}`, `[` + strings.Repeat(`{"i":"`+photo+`"},`, 64) + `{"i":"` + photo + `"}]`, unknown},
	})
}

// logo is an image with a shape, of any size.
func logo(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 240, G: 240, B: 255, A: 255}
			if u, v := float64(x)/float64(w)-0.4, float64(y)/float64(h)-0.5; u*u+v*v < 0.1 {
				c = color.NRGBA{R: 200, G: 30, B: 40, A: 255}
			}
			img.Set(x, y, c)
		}
	}
	return img
}

// TestScaled: an image that shows the whole of another one, whatever its size and type, and images
// that do not. A lazy worker's white square with one black pixel is the first of these.
func TestScaled(t *testing.T) {
	dot := image.NewNRGBA(image.Rect(0, 0, 24, 24))
	for i := range dot.Pix {
		dot.Pix[i] = 255
	}
	dot.Set(0, 0, color.NRGBA{A: 255})
	grey := image.NewGray(image.Rect(0, 0, 24, 24))
	for y := range 24 {
		for x := range 24 {
			grey.Set(x, y, logo(24, 24).At(x, y))
		}
	}
	mirrored := image.NewNRGBA(image.Rect(0, 0, 24, 24))
	for y := range 24 {
		for x := range 24 {
			mirrored.Set(23-x, y, logo(24, 24).At(x, y))
		}
	}
	const not = "does not show the image"
	whole := encoded(t, demand.PNG, logo(120, 120))
	for name, c := range map[string]struct {
		kind string
		img  image.Image
		want string
	}{
		"smaller": {demand.PNG, logo(24, 24), met}, "means": {demand.PNG, means(logo(120, 120), 40, 40), met}, "larger": {demand.PNG, means(logo(120, 120), 240, 240), met},
		"stretched": {demand.PNG, logo(60, 24), met}, "the same": {demand.GIF, logo(120, 120), unknown}, "a few pixels": {demand.PNG, means(logo(120, 120), 8, 8), unknown},
		"drawn again": {demand.PNG, logo(37, 37), unknown}, "jpeg": {demand.JPEG, logo(40, 40), unknown},
		"a dot": {demand.PNG, dot, not}, "one colour": {demand.PNG, drawn(24, 24, 1), "shows nothing"}, "another": {demand.PNG, drawn(24, 24, 5), not},
		"cropped":         {demand.PNG, logo(120, 120).SubImage(image.Rect(0, 0, 90, 90)), not},
		"grey":            {demand.PNG, grey, unknown},
		"mirrored":        {demand.PNG, mirrored, unknown},
		"another, skewed": {demand.PNG, drawn(60, 24, 5), unknown},
	} {
		found, err := seen(t, `{"scaled_from":"/input_data/0"}`, encoded(t, c.kind, c.img), whole)
		say(t, name, c.want, found, err)
	}
	found, err := seen(t, `{"scaled_from":"/input_data/0"}`, whole, encoded(t, demand.PNG, drawn(24, 24, 1)))
	say(t, "of one colour", unknown, found, err)
	found, err = seen(t, `{"scaled_from":"/input_data/1"}`, whole, whole)
	say(t, "of nothing", unknown, found, err)
}

// means scales an image to a size that divides its own, or that its own divides.
func means(img image.Image, w, h int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	across, down := img.Bounds().Dx(), img.Bounds().Dy()
	for y := range h {
		for x := range w {
			var sum [3]uint32
			n := uint32(0)
			for v := y * down / h; v < max((y+1)*down/h, y*down/h+1); v++ {
				for u := x * across / w; u < max((x+1)*across/w, x*across/w+1); u++ {
					r, g, b, _ := img.At(u, v).RGBA()
					sum, n = [3]uint32{sum[0] + r>>8, sum[1] + g>>8, sum[2] + b>>8}, n+1
				}
			}
			out.Set(x, y, color.NRGBA{R: uint8(sum[0] / n), G: uint8(sum[1] / n), B: uint8(sum[2] / n), A: 255})
		}
	}
	return out
}

// scan is an image of an invoice: a number in digits of seven strokes, and a line of marks.
func scan(number string) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 240, 120))
	for i := range img.Pix {
		img.Pix[i] = 245
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	stroke := func(x, y, w, h int) {
		for v := y; v < y+h; v++ {
			for u := x; u < x+w; u++ {
				img.Set(u, v, color.NRGBA{R: 10, G: 10, B: 60, A: 255})
			}
		}
	}
	lit := map[rune]string{'0': "abcdef", '1': "bc", '4': "bcfg", '6': "acdefg", '7': "abc", '9': "abcdfg"}
	for i, digit := range number {
		x, y := 20+30*i, 60
		for _, s := range lit[digit] {
			at := map[rune][4]int{'a': {0, 0, 18, 4}, 'b': {14, 0, 4, 18}, 'c': {14, 18, 4, 18}, 'd': {0, 32, 18, 4}, 'e': {0, 18, 4, 18}, 'f': {0, 0, 4, 18}, 'g': {0, 16, 18, 4}}[s]
			stroke(x+at[0], y+at[1], at[2], at[3])
		}
	}
	for i := range 12 {
		stroke(20+16*i, 20, 4+i%3*3, 12)
	}
	return img
}

// TestAttackForgedScan: of a scan in another size, another total, none, and squares or a blur where
// nothing can be read were each paid by code, because means of 16 times 16 cells were compared.
// Code cannot tell them from the scan now, so that they settle nothing. The honest one is met.
func TestAttackForgedScan(t *testing.T) {
	given := encoded(t, demand.PNG, scan("1476"))
	coarse := means(means(scan("1476"), 16, 12), 240, 120)
	for name, c := range map[string]struct {
		img  image.Image
		want string
	}{
		"honest":         {means(scan("1476"), 120, 60), met},
		"nearest":        {means(scan("1476"), 240, 120), met},
		"another total":  {means(scan("9996"), 120, 60), unknown},
		"another digit":  {means(scan("1479"), 120, 60), unknown},
		"no total":       {means(scan(""), 120, 60), unknown},
		"squares":        {means(coarse, 120, 60), unknown},
		"blurred":        {means(means(scan("1476"), 60, 30), 120, 60), unknown},
		"the right size": {scan("1477"), unknown},
		"a few pixels":   {means(scan("1476"), 12, 6), unknown},
	} {
		found, err := seen(t, `{"not_blank":true,"scaled_from":"/input_data/0"}`, encoded(t, demand.PNG, c.img), given)
		say(t, name, c.want, found, err)
	}
}

// FuzzMedia: any bytes have an answer, and no image is met and blank.
func FuzzMedia(f *testing.F) {
	for _, kind := range []string{demand.PNG, demand.JPEG, demand.GIF} {
		raw, err := base64.StdEncoding.DecodeString(encoded(f, kind, drawn(7, 5, 3)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := base64.StdEncoding.EncodeToString(raw)
		_, err := seen(t, `{"not_blank":true}`, text, text)
		if _, copied := seen(t, `{"not_in":["/input_data/0"]}`, text, text); copied == nil {
			t.Errorf("a copy passes; blank: %v", err)
		}
		if err != nil && !errors.Is(err, check.ErrCannotTell) && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
