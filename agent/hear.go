package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// hearing writes the thought of a model into its step while the answer comes. The thought has to
// stand first in the answer, as the schema of an action asks for it. If the answer begins anew, or
// ends otherwise than it began, what was said stays, and the rest begins on a line of its own.
type hearing struct {
	write  func(text string) error // into the step
	native bool                    // the answer is the thought itself; calls come beside it
	ahead  string                  // what was heard and is not decoded yet
	inside bool                    // the thought has begun
	over   bool                    // the thought has ended, or is not there
	told   []byte                  // since the answer began
	said   bool                    // anything
	err    error                   // of the step
}

// maxAhead is how far into an answer its thought begins at the latest, in bytes.
const maxAhead = 128

var thoughtBegins = regexp.MustCompile("^\\s*(?:```(?:json)?\\s*)?\\{\\s*\"thought\"\\s*:\\s*\"")

// hear takes the next text of the answer; an empty one begins it.
func (h *hearing) hear(text string) {
	if text == "" {
		*h = hearing{write: h.write, native: h.native, said: h.said, err: h.err}
		return
	}
	switch {
	case h.over || h.err != nil:
		return
	case h.native:
		h.say(text)
		return
	}
	h.ahead += text
	if !h.inside {
		at := thoughtBegins.FindStringIndex(h.ahead)
		if at == nil {
			h.over = len(h.ahead) > maxAhead
			return
		}
		h.inside, h.ahead = true, h.ahead[at[1]:]
	}
	h.decode()
}

// decode says what of the thought is complete: not half of a character or of an escape.
func (h *hearing) decode() {
	end := 0
	for end < len(h.ahead) && !h.over {
		n := 1
		switch c := h.ahead[end]; {
		case c == '"':
			h.over = true
			continue
		case c == '\\':
			n = escape(h.ahead[end:])
		case c >= utf8.RuneSelf:
			if !utf8.FullRuneInString(h.ahead[end:]) {
				n = len(h.ahead) + 1
				break
			}
			_, n = utf8.DecodeRuneInString(h.ahead[end:])
		}
		if end+n > len(h.ahead) {
			break
		}
		end += n
	}
	var text string
	if json.Unmarshal([]byte(`"`+h.ahead[:end]+`"`), &text) != nil {
		h.over = true // it is no JSON, so the whole answer will be refused
		return
	}
	h.ahead = h.ahead[end:]
	h.say(text)
}

// escape is the length of an escape at the beginning of a text: two of \u are one character of
// UTF-16 if the first is a high surrogate.
func escape(text string) int {
	const one = len(`\u0000`)
	switch {
	case len(text) < 2 || text[1] != 'u':
		return 2
	case len(text) >= 4 && strings.ContainsRune("dD", rune(text[2])) && strings.ContainsRune("89abAB", rune(text[3])):
		return 2 * one
	}
	return one
}

func (h *hearing) say(text string) {
	if text == "" {
		return
	}
	if len(h.told) == 0 && h.said {
		if h.err = h.write("\n"); h.err != nil {
			return
		}
	}
	h.told = append(h.told, text...)
	h.said = true
	h.err = h.write(text)
}

// rest is what of the text of the step was not said yet.
func (h *hearing) rest(text string) string {
	if rest, ok := strings.CutPrefix(text, string(h.told)); ok && (len(h.told) > 0 || !h.said) {
		return rest
	}
	return "\n" + text
}
