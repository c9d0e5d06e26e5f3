package program

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"

	"ojud/ledger/onchain"
)

func u8[T ~uint8](w *walk, name string, v *T)      { number(w, name, "u8", 1, v) }
func u16[T ~uint16](w *walk, name string, v *T)    { number(w, name, "u16", 2, v) }
func u32[T ~uint32](w *walk, name string, v *T)    { number(w, name, "u32", 4, v) }
func u64[T ~uint64](w *walk, name string, v *T)    { number(w, name, "u64", 8, v) }
func i64(w *walk, name string, v *int64)           { number(w, name, "i64", 8, v) }
func key[T ~[32]byte](w *walk, name string, v *T)  { fixed(w, name, "pubkey", v) }
func hash[T ~[32]byte](w *walk, name string, v *T) { fixed(w, name, "hash", v) }

// number is a little-endian integer of size bytes.
func number[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int64](w *walk, name, kind string, size int, v *T) {
	from, b := w.offset(), w.next(size)
	switch w.mode {
	case reading:
		var x uint64
		for i, c := range b {
			x |= uint64(c) << (8 * i)
		}
		*v = T(x)
	case writing:
		for i := range b {
			b[i] = byte(uint64(*v) >> (8 * i))
		}
	case listing:
		w.list(field{Name: name, Type: kind, Offset: from, Size: size, Value: fmt.Sprintf("%d", *v)})
	}
}

// numbers are the numbers of an array of fixed length.
func numbers(w *walk, name string, v []uint64) {
	fields, from := w.fields, w.offset()
	w.fields = new([]field)
	for i := range v {
		item := ""
		if w.mode == listing {
			item = strconv.Itoa(i)
		}
		u64(w, item, &v[i])
	}
	inner := *w.fields
	w.fields = fields
	w.list(field{Name: name, Type: "u64", Offset: from, Size: w.offset() - from, Many: true, Fields: inner})
}

// fixed is 32 bytes.
func fixed[T ~[32]byte](w *walk, name, kind string, v *T) {
	from, b := w.offset(), w.next(32)
	switch w.mode {
	case reading:
		*v = T([32]byte(b))
	case writing:
		raw := [32]byte(*v)
		copy(b, raw[:])
	case listing:
		text := fmt.Sprintf("%x", [32]byte(*v))
		if kind == "pubkey" {
			text = onchain.Address(*v).String()
		}
		w.list(field{Name: name, Type: kind, Offset: from, Size: 32, Value: text})
	}
}

// blob is a Borsh byte string: a u32 length, then that many bytes.
func blob(w *walk, name, kind string, v *[]byte) {
	from, n := w.offset(), uint32(len(*v))
	length(w, &n)
	content(w, int(n), v)
	w.list(field{Name: name, Type: kind, Offset: from, Size: 4 + int(n), Value: hex.EncodeToString(*v)})
}

// text is a Borsh string.
func text(w *walk, name string, v *string) {
	b := []byte(*v)
	from, n := w.offset(), uint32(len(b))
	length(w, &n)
	content(w, int(n), &b)
	if w.mode == reading {
		if !utf8.Valid(b) {
			w.fail("%s is not UTF-8", name)
		}
		*v = string(b)
	}
	w.list(field{Name: name, Type: "string", Offset: from, Size: 4 + len(b), Value: *v})
}

// rest is the bytes at the end of an account, whose number an earlier field says.
func rest(w *walk, name string, n int, v *[]byte) {
	from := w.offset()
	content(w, n, v)
	w.list(field{Name: name, Type: "rest", Offset: from, Size: n, Value: hex.EncodeToString(*v)})
}

// length is the u32 before what Borsh counts. It is never more than the bytes that follow, so that
// nothing is allocated for a length that is not there.
func length(w *walk, n *uint32) {
	b := w.next(4)
	switch w.mode {
	case reading:
		*n = binary.LittleEndian.Uint32(b)
	case writing:
		binary.LittleEndian.PutUint32(b, *n)
	}
	if w.mode == reading && int64(*n) > int64(w.left()) {
		w.fail("length %d, but %d bytes are left", *n, w.left())
		*n = 0
	}
}

// content is n bytes as they are.
func content(w *walk, n int, v *[]byte) {
	if w.mode == reading && n > w.left() {
		w.fail("%d bytes announced, %d are left", n, w.left())
		return
	}
	b := w.next(n)
	switch w.mode {
	case reading:
		*v = append([]byte(nil), b...)
	case writing:
		copy(b, *v)
	}
}

// one walks a struct inside another, of size bytes; 0: as long as its fields.
func one(w *walk, name, kind string, size int, item layout) {
	base, fields, from := w.base, w.fields, w.offset()
	w.base, w.fields = from, new([]field)
	item.walk(w)
	if size != 0 {
		w.at(size)
	}
	inner := *w.fields
	w.base, w.fields = base, fields
	w.list(field{Name: name, Type: kind, Offset: from, Size: w.offset() - from, Fields: inner})
}

// many walks n structs of size bytes each. The caller bounds n.
func many[T any, P interface {
	*T
	layout
}](w *walk, name, kind string, n, size int, v *[]T) {
	if w.mode == reading {
		if size != 0 && n > w.left()/size {
			w.fail("%d %s do not fit in %d bytes", n, name, w.left())
			return
		}
		*v = make([]T, n)
	}
	fields, from := w.fields, w.offset()
	w.fields = new([]field)
	for i := range *v {
		one(w, fmt.Sprint(i), kind, size, P(&(*v)[i]))
	}
	inner := *w.fields
	w.fields = fields
	w.list(field{Name: name, Type: kind, Offset: from, Size: w.offset() - from, Many: true, Fields: inner})
}

// places walks the first n places of an array of fixed length, those in use. It does not look at
// the others: the program need not clear a place that it does not use any more.
func places[T any, P interface {
	*T
	layout
}](w *walk, name, kind string, n, room, size int, v *[]T) {
	from := w.offset()
	all := make([]T, room)
	copy(all, *v)
	if w.mode == reading {
		n = min(n, room)
		many[T, P](w, name, kind, n, size, v)
		w.next((room - n) * size)
		return
	}
	many[T, P](w, name, kind, room, size, &all)
	if w.mode == writing && w.offset()-from != room*size {
		panic("program: array of the wrong size")
	}
}
