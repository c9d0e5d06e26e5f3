package program

import "fmt"

// walk goes over the fields of an account, an instruction or an event. One description serves
// reading, writing and listing, so that these cannot disagree.
type walk struct {
	mode  mode
	data  []byte // reading: all of it; writing: what was written
	pos   int    // reading and listing: how far the walk has come
	base  int    // where the present struct begins
	fault error  // reading: the first thing that is wrong

	fields *[]field // listing: where to add
}

type mode uint8

const (
	reading mode = iota
	writing
	listing
)

// field is a field that listing found.
type field struct {
	Name   string
	Type   string // u8 … i64, pubkey, hash, string, bytes, pad, or the name of a struct
	Offset int
	Size   int
	Value  string  // decimal, base58, hex or text
	Many   bool    // items of a list, in Fields
	Fields []field // of a struct or list
}

// layout is anything that can be walked.
type layout interface{ walk(w *walk) }

// offset is how far the walk has come.
func (w *walk) offset() int {
	if w.mode == writing {
		return len(w.data)
	}
	return w.pos
}

// fail keeps the first fault.
func (w *walk) fail(format string, args ...any) {
	if w.fault == nil {
		w.fault = fmt.Errorf(format, args...)
	}
}

// at moves to an offset of the present struct. The bytes that it passes over are padding, which is
// zero.
func (w *walk) at(offset int) *walk {
	n := w.base + offset - w.offset()
	if n == 0 {
		return w
	}
	if n < 0 {
		panic(fmt.Sprintf("program: layout goes back %d bytes to offset %d", -n, offset))
	}
	from := w.offset()
	for _, b := range w.next(n) {
		if b != 0 && w.mode == reading {
			w.fail("pad at offset %d is not zero", from)
		}
	}
	w.list(field{Name: "pad", Type: "pad", Offset: from, Size: n})
	return w
}

// next takes or makes room for n bytes. After a fault, and in listing, they are zeros.
func (w *walk) next(n int) []byte {
	switch w.mode {
	case reading:
		if n > len(w.data)-w.pos {
			w.fail("%d bytes are too few", len(w.data))
			w.pos = len(w.data)
			break
		}
		b := w.data[w.pos : w.pos+n]
		w.pos += n
		return b
	case writing:
		w.data = append(w.data, make([]byte, n)...)
		return w.data[len(w.data)-n:]
	case listing:
		w.pos += n
	}
	return make([]byte, n)
}

// left is how many bytes there are to read.
func (w *walk) left() int { return len(w.data) - w.pos }

// end checks that everything was read.
func (w *walk) end() error {
	if w.fault == nil && w.left() != 0 {
		w.fail("%d bytes are %d too many", len(w.data), w.left())
	}
	return w.fault
}

func (w *walk) list(f field) {
	if w.mode == listing {
		*w.fields = append(*w.fields, f)
	}
}

// within demands that what was read is in a range.
func (w *walk) within(name string, v, low, high uint64) {
	if w.mode == reading && (v < low || v > high) {
		w.fail("%s is %d, not %d to %d", name, v, low, high)
	}
}
