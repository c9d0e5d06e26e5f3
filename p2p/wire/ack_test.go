package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
)

func TestAckRoundTrip(t *testing.T) {
	for _, n := range []int{1, 127, 128, 300, maxAck} {
		got, err := ReadAck(bufio.NewReader(bytes.NewReader(AppendAck(nil, n))))
		if err != nil || got != n {
			t.Errorf("%d became %d (%v)", n, got, err)
		}
	}
}

func TestAckErrors(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"clean end":   {nil, io.EOF},
		"cut":         {[]byte{0x80}, io.ErrUnexpectedEOF},
		"nothing":     {[]byte{0}, ErrAck},
		"not minimal": {[]byte{0x81, 0}, ErrAck},
		"too many":    {AppendAck(nil, maxAck+1), ErrAck},
	} {
		if _, err := ReadAck(bufio.NewReader(bytes.NewReader(c.in))); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// FuzzAck: accepted input encodes back to the very bytes that were read.
func FuzzAck(f *testing.F) {
	f.Add([]byte{1})
	f.Add([]byte{0xff, 0x7f})
	f.Fuzz(func(t *testing.T, in []byte) {
		n, err := ReadAck(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			return
		}
		if again := AppendAck(nil, n); n < 1 || n > maxAck || !bytes.Equal(again, in[:len(again)]) {
			t.Fatalf("%d read from %x", n, in)
		}
	})
}
