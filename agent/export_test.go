package agent

import "strings"

// Hears returns what is heard of an answer that comes in these pieces.
func Hears(texts []string) string {
	var b strings.Builder
	h := &hearing{write: func(text string) error {
		b.WriteString(text)
		return nil
	}}
	h.hear("")
	for _, text := range texts {
		if text != "" {
			h.hear(text)
		}
	}
	return b.String()
}
