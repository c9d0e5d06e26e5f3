package talk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// screen is how many bytes of a message are shown at once.
const screen = 2000

// short is a message as people read it: what it does, and its content.
func short(raw []byte) string {
	m, err := anex.Parse(raw)
	if err != nil && m.Performative == "" {
		return cut(strconv.Quote(string(raw)))
	}
	return fmt.Sprintf("%s %s", m.Performative, cut(string(m.Content)))
}

// cut shortens a text, and says so.
func cut(text string) string {
	first, rest := page(text)
	if rest == "" {
		return first
	}
	return fmt.Sprintf("%s … %d more bytes", first, len(rest))
}

// page divides a text at a character.
func page(text string) (first, rest string) {
	at := min(len(text), screen)
	for at < len(text) && at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at], text[at:]
}

// terms shows all that would be signed, and how it is accepted.
func (c *conversation) terms(what string, a *talk.Agreement) {
	raw, err := a.Terms()
	if err != nil {
		_ = c.fail(err) // the conversation goes on; its exit status says it
		return
	}
	end := fmt.Sprintf(" (%s)", a.Hash()[:8])
	if what == "terms" {
		end = fmt.Sprintf(" (to sign: %d accept %s)", c.number, a.Hash()[:8])
	}
	c.page(what, string(raw), end)
}

// page shows the first part of terms. The rest is shown on demand, and nothing is signed before.
func (c *conversation) page(what, text, end string) {
	if c.room.a.JSON {
		c.tell(what, strings.TrimSpace(end), []byte(text))
		return
	}
	c.mu.Lock()
	first, rest := page(text + end)
	c.unseen = rest
	c.mu.Unlock()
	if rest != "" {
		first = fmt.Sprintf("%s … %d more bytes; type %d show", first, len(rest), c.number)
	}
	c.tell(what, first, nil)
}
