package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
)

// drawn returns a picture of each kind.
func drawn(t testing.TB, width, height int) map[string][]byte {
	t.Helper()
	i := image.NewPaletted(image.Rect(0, 0, width, height), palette.Plan9)
	out := map[string][]byte{}
	for kind, encode := range map[string]func(*bytes.Buffer) error{
		"image/png":  func(b *bytes.Buffer) error { return png.Encode(b, i) },
		"image/jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, i, nil) },
		"image/gif":  func(b *bytes.Buffer) error { return gif.Encode(b, i, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[kind] = b.Bytes()
	}
	return out
}

// grown changes the size that a PNG says it has.
func grown(raw []byte, width, height uint32) []byte {
	raw = bytes.Clone(raw)
	binary.BigEndian.PutUint32(raw[16:], width)
	binary.BigEndian.PutUint32(raw[20:], height)
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

// TestImages: a picture in a document or among the exhibits is found by its hash, and its size is
// known before a browser gets it.
func TestImages(t *testing.T) {
	t.Parallel()
	for kind, raw := range drawn(t, 30, 20) {
		i, ok := imageIn(raw)
		if !ok || i.Kind != kind || i.Width != 30 || i.Height != 20 || !bytes.Equal(i.Content, raw) {
			t.Errorf("%s: %v %s %d × %d", kind, ok, i.Kind, i.Width, i.Height)
		}
		text := base64.StdEncoding.EncodeToString(raw)
		for _, spelled := range []string{text, "data:" + kind + ";base64," + text, "data:text/html;base64," + text} {
			if i, ok := imageOf(spelled); !ok || i.Kind != kind {
				t.Errorf("%.30s: %v %s", spelled, ok, i.Kind)
			}
		}
		document, err := json.Marshal(map[string]string{"image": text, "note": "a kite"})
		if err != nil {
			t.Fatal(err)
		}
		exhibit := append(bytes.Clone(raw), 0)
		pleading, err := json.Marshal(map[string]any{"reason": "Look.", "evidence": []any{map[string]any{
			"name": "photo", "sha256": casefile.Digest(casefile.HashOf(exhibit)).String(), "bytes": len(exhibit)}}})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := casefile.ParseObjection(pleading)
		if err != nil {
			t.Fatal(err)
		}
		kept := map[casefile.Digest][]byte{}
		for _, content := range [][]byte{document, exhibit, doc.Raw} {
			kept[casefile.Digest(casefile.HashOf(content))] = content
		}
		s := Scene{
			Terms:   &casefile.TaskTerms{ResultHash: casefile.Digest(casefile.HashOf(document)), ObjectionHash: casefile.Digest(doc.Hash)},
			Content: func(hash casefile.Digest) ([]byte, error) { return kept[hash], nil },
		}
		for what, content := range map[string][]byte{"result": raw, "exhibit": exhibit} {
			if found, ok := FindImage(s, casefile.Digest(casefile.HashOf(content))); !ok || !bytes.Equal(found.Content, content) {
				t.Errorf("%s: the %s is not found", kind, what)
			}
		}
		order := []byte(`{"instruction":["Copy it."],"output_schema":{},"input_data":[{"logo":"` + text + `"},"` + text + `",7]}`)
		task, err := casefile.ParseTask(order)
		if err != nil {
			t.Fatal(err)
		}
		kept[casefile.Digest(task.Hash)] = task.Raw
		s.Terms = &casefile.TaskTerms{TaskHash: casefile.Digest(task.Hash), ResultHash: s.Terms.ResultHash, ObjectionHash: s.Terms.ObjectionHash}
		whole, _ := papers(s)
		if b := whole[0].Blocks; len(b) != 4 || b[1].Label != "given logo" || b[1].Image == nil || b[2].Image == nil || b[3].Text != "7" {
			t.Errorf("%s: the task gives %+v", kind, b)
		}
		if _, ok := FindImage(Scene{Terms: &casefile.TaskTerms{TaskHash: casefile.Digest(task.Hash)}, Content: s.Content}, casefile.Digest(casefile.HashOf(raw))); !ok {
			t.Errorf("%s: the picture that the task gives is not found", kind)
		}
		if _, ok := FindImage(s, casefile.Digest(casefile.HashOf(document))); ok {
			t.Error("a document is no picture")
		}
		all, _ := papers(s)
		if b := all[1].Blocks[0]; b.Image == nil || strings.Contains(b.Text, text[:20]) || all[2].Exhibits[0].Image == nil {
			t.Errorf("%s: %+v %+v", kind, b, all[2].Exhibits)
		}
	}
}

// TestAttackManyExhibits: of a document with many large exhibits a page reads a bounded part.
func TestAttackManyExhibits(t *testing.T) {
	t.Parallel()
	raw := drawn(t, 3, 3)["image/png"]
	read := 0
	s := Scene{Content: func(casefile.Digest) ([]byte, error) { read++; return raw, nil }}
	var evidence []any
	for i := range 16 {
		evidence = append(evidence, map[string]any{"name": "photo", "sha256": casefile.Digest(casefile.HashOf(raw)).String(), "bytes": 1 + i%2*(1<<20-1)})
	}
	pleading, err := json.Marshal(map[string]any{"reason": "Look.", "evidence": evidence})
	if err != nil {
		t.Fatal(err)
	}
	var p paper
	p.plead(s, pleading)
	if len(p.Exhibits) != 16 || read != maxImages/2 || p.Exhibits[0].Image == nil || p.Exhibits[1].Image != nil || p.Exhibits[8].Image != nil {
		t.Errorf("%d exhibits, %d were read", len(p.Exhibits), read)
	}
}

// TestAttackImages: a browser gets no other content as a picture, and no picture that says that it
// is huge.
func TestAttackImages(t *testing.T) {
	t.Parallel()
	small := drawn(t, 4, 4)["image/png"]
	for name, raw := range map[string][]byte{
		"a page": []byte("<html><script>alert(1)</script>"), "a drawing": []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`),
		"wide": grown(small, 1<<20, 1), "many pixels": grown(small, maxSide, maxSide), "no pixels": grown(small, 0, 4), "cut": small[:20], "nothing": nil,
		"too large": append(bytes.Clone(small), make([]byte, maxImage)...), "a GIF's name": []byte("GIF89a<script>"),
	} {
		if i, ok := imageIn(raw); ok {
			t.Errorf("%s is %s, %d × %d", name, i.Kind, i.Width, i.Height)
		}
		if _, ok := imageOf("data:image/png;base64," + base64.StdEncoding.EncodeToString(raw)); ok {
			t.Errorf("%s as a data URL", name)
		}
	}
	for _, text := range []string{"", "data:", "data:image/png,x", "hello, this is a longer text than most", strings.Repeat("A", 1<<20)} {
		if _, ok := imageOf(text); ok {
			t.Errorf("%.30s is a picture", text)
		}
	}
}

// TestOpenedOnPage: the page of a case shows what a creator sealed, when its objection opens it.
func TestOpenedOnPage(t *testing.T) {
	k, opening, err := sealed.Seal(casefile.Check{Program: &runs.CheckProgram{JavaScript: "value === 'owl'"}}, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	pleading, err := json.Marshal(casefile.Objection{Reason: "Look.", Evidence: []casefile.Exhibit{{Name: sealed.Name(0), SHA256: *k.Sealed, Bytes: uint64(len(opening))}}})
	if err != nil {
		t.Fatal(err)
	}
	var p paper
	p.plead(Scene{Content: func(casefile.Digest) ([]byte, error) { return opening, nil }}, pleading)
	if len(p.Blocks) != 2 || !strings.Contains(p.Blocks[1].Text, "value === 'owl'") || p.Blocks[1].Label != "a sealed check, which the creator opened" {
		t.Errorf("%+v", p.Blocks)
	}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"x"}, OutputSchema: []byte(`{}`), Expected: []casefile.Check{k}})
	if err != nil {
		t.Fatal(err)
	}
	terms := &casefile.TaskTerms{TaskHash: casefile.Digest(task.Hash), Reworks: 1}
	p = paper{}
	p.plead(Scene{Terms: terms, Content: func(hash casefile.Digest) ([]byte, error) {
		if hash == terms.TaskHash {
			return task.Raw, nil
		}
		return opening, nil
	}}, pleading)
	if len(p.Blocks) != 2 || !strings.Contains(p.Blocks[1].Label, "it was sealed for the first result, and not for this one, so that it settles nothing") {
		t.Errorf("%+v", p.Blocks)
	}
}
