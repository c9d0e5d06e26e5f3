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
		{`{"not_blank":true}`, encoded(t, demand.GIF, image.NewPaletted(image.Rect(0, 0, 9, 9), palette.Palette)), unknown},
		{`{"not_in":["/input_data/0"]}`, "data:image/png;base64," + photo, "byte for byte"},
		{`{"not_in":["/input_data/0"]}`, encoded(t, demand.PNG, palette), "has the pixels of the image"},
		{`{"not_in":["/input_data/0"]}`, encoded(t, demand.PNG, drawn(40, 30, 4)), met},
		{`{"not_in":["/input_data/0"]}`, encoded(t, demand.PNG, drawn(30, 40, 5)), met},
		{`{"not_in":["/input_data/1"]}`, photo, unknown},
		{`{"not_blank":true}`, encoded(t, demand.PNG, drawn(2000, 2, 3)), met},
		{`{"not_blank":true}`, encoded(t, demand.PNG, drawn(1000, 600, 1)), unknown},
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
		{`"each":"/i","media":{"not_blank":true}`, `[{"i":"` + photo + `"},{"i":"` + photo + `"}]`, unknown},
	})
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
