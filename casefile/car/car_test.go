package car

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/casetest"
	"ojud/test/npmtest"
	"ojud/voting"
)

// small returns a verified case file of one block.
func small(t testing.TB) []byte {
	t.Helper()
	file, err := casetest.File(casetest.Script{Name: "car", Judges: 7, Panel: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// large returns a file of several blocks, with content of the largest size.
func large(t testing.TB) []byte {
	t.Helper()
	b := casefile.Bundle{Format: casefile.Format, Events: []casefile.Event{}, Panels: []casefile.Panel{}, Blobs: map[casefile.Digest]casefile.Content{}}
	for _, content := range [][]byte{bytes.Repeat([]byte("a"), casefile.MaxBlob), bytes.Repeat([]byte("b"), casefile.MaxBlob/2), {}} {
		b.Blobs[sha256.Sum256(content)] = content
	}
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = canon.JSON(raw, casefile.MaxBundle); err != nil {
		t.Fatal(err)
	}
	file, err := canon.Indent(raw)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// write returns the CAR of a case file.
func write(t testing.TB, file []byte) ([]byte, About) {
	t.Helper()
	raw, about, err := Write(file)
	if err != nil {
		t.Fatal(err)
	}
	if !Is(raw) || Is(file) {
		t.Fatal("a CAR is not told from a case file")
	}
	return raw, about
}

// TestOtherReader: IPFS's own libraries read the CAR, find every hash right, get the case file and
// each content from its root by their CIDs, and write a CAR that this package reads.
func TestOtherReader(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"small": small(t), "large": large(t)} {
		raw, about := write(t, file)
		folder := t.TempDir()
		from, to := filepath.Join(folder, name+".car"), filepath.Join(folder, name+".again.car")
		if err := os.WriteFile(from, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		out := npmtest.Run(t, "testdata/reader", "read.mjs", from, to)
		if out == nil {
			return
		}
		type entry struct {
			CID    string
			SHA256 string
			Bytes  int
		}
		var found struct {
			Roots  []string
			Blocks int
			Files  map[string]entry
		}
		if err := json.Unmarshal(out, &found); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if len(found.Roots) != 1 || found.Roots[0] != about.Root || found.Blocks != about.Blocks {
			t.Errorf("%s: %s; wanted %+v", name, out, about)
		}
		sum := sha256.Sum256(file)
		if got := found.Files["case.json"]; got.SHA256 != hex.EncodeToString(sum[:]) || got.Bytes != len(file) {
			t.Errorf("%s: case.json: %+v", name, got)
		}
		canonical, err := canon.JSON(file, casefile.MaxBundle)
		if err != nil {
			t.Fatal(err)
		}
		bundle, err := casefile.ParseBundle(canonical)
		if err != nil {
			t.Fatal(err)
		}
		for hash, content := range bundle.Blobs {
			want := entry{CID: idOf(codecRaw, content).String(), SHA256: hex.EncodeToString(hash[:]), Bytes: len(content)}
			if got := found.Files["blobs/"+want.SHA256]; got != want {
				t.Errorf("%s: %+v; wanted %+v", name, got, want)
			}
		}
		if len(found.Files) != len(bundle.Blobs)+1 {
			t.Errorf("%s: %d files, %d contents", name, len(found.Files), len(bundle.Blobs))
		}
		again, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := Case(again); err != nil || !bytes.Equal(got, file) || bytes.Equal(again, raw) {
			t.Errorf("%s: the blocks in another order: %v", name, err)
		}
	}
}

// section is one block of a CAR as it is there.
func section(c id, content []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(len(c)+len(content)))
	return append(append(out, c[:]...), content...)
}

// TestHostile: whatever is not exactly the CAR of a case is refused, and the error says where.
func TestHostile(t *testing.T) {
	t.Parallel()
	file := large(t)
	raw, about := write(t, file)
	if got, again, err := Case(raw); err != nil || !bytes.Equal(got, file) || again != about {
		t.Fatal(err)
	}
	blocks, err := blocksOf(file)
	if err != nil {
		t.Fatal(err)
	}
	head := header(blocks[0].id)
	car := func(root id, blocks ...block) []byte {
		out := header(root)
		for _, b := range blocks {
			out = append(out, section(b.id, b.content)...)
		}
		return out
	}
	part := blockOf(codecRaw, bytes.Repeat([]byte("x"), maxBlock), 0)
	var bomb []link
	for range 100 {
		bomb = append(bomb, link{to: part})
	}
	bombed := node(bomb, nil)
	rootOfBomb := folder(link{"case.json", bombed})
	itself := blockOf(codecDagPB, nil, 0)
	looped := folder(link{"case.json", itself})
	none := folder()
	wrong := blocks[2]
	wrong.content = append([]byte("y"), wrong.content...)
	stranger := blockOf(codecRaw, []byte("stranger"), 0)
	jsonOnly := blockOf(codecRaw, []byte("{}"), 0)
	rootOfJSON := folder(link{"case.json", jsonOnly})
	noBlobs := folder(link{"case.json", blockOf(codecRaw, small(t), 0)})
	cut := func(n int) []byte { return raw[:n] }
	long := append(bytes.Clone(head), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"...)
	for name, test := range map[string]struct {
		raw   []byte
		kind  error
		words string
	}{
		"nothing":               {nil, errForm, "ends in its header"},
		"a case file":           {file, errForm, "header"},
		"version 2":             {append([]byte(second), raw...), errForm, "version 2"},
		"no root":               {append([]byte("\x11\xa2\x65roots\x80\x67version\x01"), raw...), errForm, "header"},
		"cut in the header":     {cut(20), errForm, "ends in its header"},
		"no block":              {head, errForm, "the root: the block is missing"},
		"cut in a block":        {cut(len(raw) - 1), errForm, "are left"},
		"a huge varint":         {long, errForm, "no number in its shortest form"},
		"a varint of 2^63":      {append(bytes.Clone(head), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"...), errForm, "length: a block of 9223372036854775808"},
		"a varint too long":     {append(bytes.Clone(head), "\xa4\x00"...), errForm, "shortest form"},
		"a block of 0":          {append(bytes.Clone(head), 0), errForm, "length: a block of 0"},
		"a block of 3 MiB":      {append(bytes.Clone(head), binary.AppendUvarint(nil, 3<<20)...), errForm, "length: a block of 3145728"},
		"another hash":          {car(blocks[0].id, blocks[0], wrong), errForm, "CID"},
		"a block twice":         {append(bytes.Clone(raw), section(blocks[2].id, blocks[2].content)...), errForm, "is there twice"},
		"a stranger's block":    {append(bytes.Clone(raw), section(stranger.id, stranger.content)...), errOther, "it has"},
		"a content is missing":  {car(blocks[0].id, append(blocks[:2:2], blocks[3:]...)...), errOther, "is missing"},
		"a part is missing":     {car(blocks[0].id, blocks[:len(blocks)-1]...), errForm, "case.json: part"},
		"another block as root": {car(blocks[2].id, blocks...), errForm, "the root"},
		"a root elsewhere":      {car(stranger.id, blocks...), errForm, "the block is missing"},
		"an empty folder":       {car(none.id, none), errForm, "no case.json"},
		"a bomb":                {car(rootOfBomb.id, rootOfBomb, bombed, part), errForm, "case.json: more than"},
		"a file without parts":  {car(looped.id, looped, itself), nil, "the case file cannot be read"},
		"no case":               {car(rootOfJSON.id, rootOfJSON, jsonOnly), nil, "the case file cannot be read"},
		"no contents":           {car(noBlobs.id, noBlobs, blockOf(codecRaw, small(t), 0)), errOther, "the root is"},
		"too large":             {make([]byte, MaxCAR+1), errForm, "more than"},
	} {
		got, _, err := Case(test.raw)
		if err == nil || got != nil || !strings.Contains(err.Error(), test.words) || test.kind != nil && !errors.Is(err, test.kind) {
			t.Errorf("%s: %v; wanted %q", name, err, test.words)
		}
	}
}

// TestWriteRefuses: a file that is no case, one whose content has another hash, and one with too
// many contents have no CAR.
func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	with := func(blobs map[casefile.Digest]casefile.Content) []byte {
		raw, err := json.Marshal(casefile.Bundle{Format: casefile.Format, Events: []casefile.Event{}, Panels: []casefile.Panel{}, Blobs: blobs})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	many := map[casefile.Digest]casefile.Content{}
	for i := range maxBlobs + 1 {
		content := binary.BigEndian.AppendUint32(nil, uint32(i))
		many[sha256.Sum256(content)] = content
	}
	for words, file := range map[string][]byte{
		"cannot be read":   []byte("{"),
		"has another hash": with(map[casefile.Digest]casefile.Content{{1}: []byte("x")}),
		"has 8001 conten":  with(many),
	} {
		if _, _, err := Write(file); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v; wanted %q", err, words)
		}
	}
	for hash := range many {
		delete(many, hash)
		break
	}
	raw, _, err := Write(with(many))
	if err != nil {
		t.Fatal(err)
	}
	if _, about, err := Case(raw); err != nil || about.Blocks < maxBlobs {
		t.Errorf("the most contents: %v %+v", err, about)
	}
}

// FuzzCase: whatever is read as a CAR is that of its case file, and is written again with the same
// root and blocks.
func FuzzCase(f *testing.F) {
	raw, _, err := Write(small(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:100])
	f.Add([]byte(second))
	empty := folder()
	f.Add(append(header(empty.id), section(empty.id, empty.content)...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		known := Is(raw)
		file, about, err := Case(raw)
		if err != nil {
			if file != nil {
				t.Fatal("a file beside an error")
			}
			return
		}
		again, written, err := Write(file)
		if err != nil || written != about || len(again) != len(raw) || !known {
			t.Fatal(err, written, about)
		}
	})
}
