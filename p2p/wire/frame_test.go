package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFrameRoundTrip(t *testing.T) {
	for _, size := range []int{0, 1, 127, 128, growStep - 1, growStep, growStep + 1, 3 * growStep, 100_000} {
		payload := bytes.Repeat([]byte{'x'}, size)
		frame := AppendFrame(nil, OK, payload)
		if len(frame) != FrameSize(size) {
			t.Errorf("FrameSize(%d) = %d, frame has %d bytes", size, FrameSize(size), len(frame))
		}
		st, got, err := ReadFrame(bufio.NewReader(iotest.HalfReader(bytes.NewReader(frame))), size)
		if err != nil || st != OK || !bytes.Equal(got, payload) {
			t.Errorf("size %d: status %v, %d bytes, error %v", size, st, len(got), err)
		}
	}
}

func TestReadFrameErrors(t *testing.T) {
	long := AppendFrame(nil, Refused, bytes.Repeat([]byte{'x'}, MaxText+1))
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"clean end":           {nil, io.EOF},
		"cut after status":    {[]byte{0}, io.ErrUnexpectedEOF},
		"cut in length":       {[]byte{0, 0x80}, io.ErrUnexpectedEOF},
		"cut in payload":      {[]byte{0, 5, 'a'}, io.ErrUnexpectedEOF},
		"unknown status":      {[]byte{byte(statuses), 0}, ErrFrameStatus},
		"over the limit":      {AppendFrame(nil, OK, make([]byte, 1001)), ErrFrameTooLarge},
		"length not minimal":  {[]byte{0, 0x80, 0}, errFrameLength},
		"endless length":      {append([]byte{0}, bytes.Repeat([]byte{0xff}, 20)...), errFrameLength},
		"text over its limit": {long, ErrFrameTooLarge},
	} {
		if _, _, err := ReadFrame(bufio.NewReader(bytes.NewReader(c.in)), 1000); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// A peer that claims the largest frame and sends nothing must not make the
// reader allocate it.
func TestReadFrameAllocatesWhatArrives(t *testing.T) {
	const limit = 64 << 20
	claim := binary.AppendUvarint([]byte{0}, limit)
	claim = append(claim, make([]byte, 100)...)
	bytesPerRun := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, _, err := ReadFrame(bufio.NewReaderSize(bytes.NewReader(claim), 64), limit); err == nil {
				b.Fatal("frame without its payload was accepted")
			}
		}
	}).AllocedBytesPerOp()
	if bytesPerRun > 4*growStep {
		t.Errorf("%d bytes allocated for a claim of %d", bytesPerRun, limit)
	}
}

func TestBufferedFrame(t *testing.T) {
	frame := AppendFrame(nil, OK, []byte("hello"))
	for n := range len(frame) + 1 {
		r := bufio.NewReader(strings.NewReader(string(frame[:n])))
		if n > 0 {
			if _, err := r.Peek(n); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := BufferedFrame(r), n == len(frame); got != want {
			t.Errorf("with %d of %d bytes: %v, want %v", n, len(frame), got, want)
		}
	}
}

func TestStatusNames(t *testing.T) {
	for st := OK; st < statuses; st++ {
		if st.String() == "" || strings.HasPrefix(st.String(), "unknown") {
			t.Errorf("status %d has no name", st)
		}
	}
	if got := Status(200).String(); got != "unknown status 200" {
		t.Errorf("got %q", got)
	}
}

// whole says by hand whether bytes begin with a whole frame: a status, a length of one to five
// bytes, and as many bytes as the length says.
func whole(in []byte) bool {
	if len(in) < 2 {
		return false
	}
	n, used := binary.Uvarint(in[1:])
	return used > 0 && n <= uint64(len(in)) && uint64(len(in)-1-used) >= n
}

// FuzzReadFrame: accepted input encodes back to the very bytes that were read.
func FuzzReadFrame(f *testing.F) {
	f.Add(AppendFrame(nil, OK, []byte("vote")))
	f.Add(AppendFrame(nil, Busy, []byte("try another")))
	f.Add([]byte{0, 0x80, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		const limit = 1 << 12
		r := bufio.NewReaderSize(bytes.NewReader(in), 2*limit)
		if _, err := r.Peek(1); err == nil && BufferedFrame(r) != whole(in[:r.Buffered()]) {
			t.Fatalf("%x: a whole frame is there: %v", in, !whole(in[:r.Buffered()]))
		}
		st, payload, err := ReadFrame(r, limit)
		if err != nil {
			return
		}
		if len(payload) > limit || st != OK && len(payload) > MaxText {
			t.Fatalf("%d bytes over the limit", len(payload))
		}
		again := AppendFrame(nil, st, payload)
		if !bytes.Equal(again, in[:len(again)]) {
			t.Fatalf("%x read from %x", again, in)
		}
	})
}

// FuzzStatus: every byte is either a known status or refused, and has a name.
func FuzzStatus(f *testing.F) {
	f.Add(byte(0))
	f.Add(byte(statuses))
	f.Fuzz(func(t *testing.T, b byte) {
		_, _, err := ReadFrame(bufio.NewReader(bytes.NewReader([]byte{b, 0})), 0)
		if known := Status(b) < statuses; known != (err == nil) {
			t.Fatalf("status %d: error %v", b, err)
		}
		if Status(b).String() == "" {
			t.Fatalf("status %d has no name", b)
		}
	})
}
