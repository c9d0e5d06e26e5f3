package sbpf

import "unicode/utf8"

// lossy converts bytes to text as Rust's from_utf8_lossy does: it replaces each longest beginning
// of a character that is not complete by one replacement character.
func lossy(b []byte) string {
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = beginning(b)
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return string(out)
}

// beginning returns the length of the longest truncated character at the start of b, at least 1.
func beginning(b []byte) int {
	for n := min(3, len(b)); n > 1; n-- {
		if !utf8.FullRune(b[:n]) {
			return n
		}
	}
	return 1
}
