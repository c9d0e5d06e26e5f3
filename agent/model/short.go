package model

import (
	"strings"
	"unicode"
)

// short makes a line of at most 200 bytes for a log from a stranger's text.
func short(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), 4*most)], ""))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
