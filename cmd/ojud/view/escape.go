package view

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns text as one line that is safe to show on a terminal. It writes as \uXXXX every
// character that moves the cursor, changes the direction of text or cannot be seen, and as \xXX
// every byte that is not UTF-8. All text from strangers goes through it.
func Escape(text string) string { return escape(text, "") }

// Escaper returns a writer that escapes as Escape does, but keeps line breaks and tabs. A Write
// must not end within a character. JSON stays valid JSON.
func Escaper(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ io.Writer }

// Write implements io.Writer.
func (e escaper) Write(p []byte) (int, error) {
	if _, err := io.WriteString(e.Writer, escape(string(p), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escape keeps visible characters and the characters in keep.
func escape(text, keep string) string {
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case strings.ContainsRune(keep, r) || visible(r):
			out.WriteRune(r)
		case r > 0xffff: // as JSON writes it
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// visible reports whether a reader sees the character and a terminal does not obey it.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.Is(unicode.Variation_Selector, r) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
