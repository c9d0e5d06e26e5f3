package kind

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"ojud/datasource/exact"
)

// FuzzRows: from any file a reader gets rows within the source's limits, or an error of a known
// class.
func FuzzRows(f *testing.F) {
	for _, format := range []string{"csv", "lines", "json", "text"} {
		f.Add(format, []byte("\ufeffa,b\n1,\"x\ny\"\n2,z\n"), uint8(0), uint8(2))
		f.Add(format, []byte(`{"a":[9007199254740993,1.0]}`), uint8(1), uint8(0))
		f.Add(format, []byte("a,a\n\"\n"), uint8(0), uint8(9))
	}
	f.Fuzz(func(t *testing.T, format string, raw []byte, from, count uint8) {
		const limit = 4 << 10
		d := &folder{filesSource: &filesSource{Format: format}, maxBytes: limit}
		answer := map[string]any{}
		err := d.content(answer, raw, int(from), int(count))
		if err != nil {
			if !errors.Is(err, ErrSchema) && !errors.Is(err, ErrLarge) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		if rows, ok := answer["content"].([]any); ok && format != "json" && len(rows) > int(count) {
			t.Fatalf("%d rows, %d were asked for", len(rows), count)
		}
		if _, err := encode(answer["content"]); err != nil {
			t.Fatalf("%q cannot be written: %v", raw, err)
		}
	})
}

// FuzzStdout: a program's output is passed on line by line. A line that is too long ends it, and is
// never passed on whole.
func FuzzStdout(f *testing.F) {
	f.Add([]byte("{\"id\":9007199254740993}\n{}\n"))
	f.Add(bytes.Repeat([]byte("x"), 300))
	f.Fuzz(func(t *testing.T, raw []byte) {
		const most = 256
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var large atomic.Bool
		out := &stdout{exact.NewReader(bytes.NewReader(raw), most, ErrLarge), r, &large}
		got, err := io.ReadAll(out)
		if (err != nil) != large.Load() || err != nil && !errors.Is(err, ErrLarge) {
			t.Fatalf("%v, large: %v", err, large.Load())
		}
		for line := range bytes.Lines(got) {
			if err == nil && len(line) > 2*most+64 {
				t.Fatalf("a line of %d bytes", len(line))
			}
		}
		if err := errors.Join(out.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
		b := &body{exact.NewReader(bytes.NewReader(raw), 0, ErrLarge), io.NopCloser(nil), most, &bodies{}}
		if got, err := io.ReadAll(b); len(got) > most || (err != nil) != b.of.large.Load() {
			t.Fatalf("%d bytes of a body, %v", len(got), err)
		}
	})
}
