package casetest

import (
	"strings"
)

// Hostile are texts of strangers that want to be more than text.
func Hostile() []string {
	return []string{
		`<script>document.title="pwned"</script>`,
		`"><img src=x onerror=document.title='pwned'>`,
		`</p></article></main><h1 id=evil>Forged</h1>`,
		`{{.Task}}{{template "frame" .}}`,
		"javascript:document.title='pwned'",
		"\u202egnihtyreve srorrim\u202c",
		"a\u200bb\u2066c\ufeff\u00ad",
		"\x1b[31mred\x1b]0;pwned\a",
		strings.Repeat("W", 5_000),
		strings.Repeat("\u0301", 3_000),
		"line\u2028separator\u2029",
		"data: x\n\nevent: page\ndata: <h1>pwned</h1>\n\n",
		"<svg onload=document.title='pwned'><style>*{display:none}</style>",
	}
}
