package anex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The values of language and ontology in every message.
const (
	contentLanguage = "JSON"
	contentOntology = "ANEX-Ontology"
)

// The limits of the fields of a message.
const (
	maxWord  = 64                  // bytes of performative and protocol
	maxAgent = 256                 // bytes of sender and receiver
	maxID    = 64                  // bytes of conversation-id, reply-with and in-reply-to
	maxText  = 2000                // bytes of a text for people
	maxHead  = 4 << 10             // room for everything but the content: two names of quotes alone are 1 KiB of it
	maxTime  = 253_402_300_800_000 // Unix ms of the year 10000, which RFC 3339 cannot write
)

// Message is an ANEX message: the seed's seven fields, with one value each for language and
// ontology, and four of FIPA ACL that may be absent. Content is a JSON object as Spell writes it.
type Message struct {
	Performative Performative
	Sender       string
	Receiver     string
	Content      json.RawMessage
	Protocol     Protocol
	Conversation string // conversation-id; "" is absent
	ReplyWith    string // reply-with; "" is absent
	InReplyTo    string // in-reply-to; "" is absent
	ReplyBy      int64  // reply-by, Unix ms; 0 is absent
}

// limit returns the greatest length of the message.
func (m Message) limit() int {
	if m.Performative == ActInform && m.Protocol.data() {
		return MaxInform
	}
	return MaxMessage
}

// check refuses invalid fields of a message, for both Parse and Encode.
func (m Message) check() error {
	if !isWord(string(m.Performative)) {
		return m.fail("performative", "is %.40q; a word of A..Z and - is needed, at most %d", m.Performative, maxWord)
	}
	if err := checkAgent("sender", m.Sender); err != nil {
		return err
	}
	if err := checkAgent("receiver", m.Receiver); err != nil {
		return err
	}
	if m.Protocol == "" || len(m.Protocol) > maxWord || !utf8.ValidString(string(m.Protocol)) {
		return m.fail("protocol", "is %.40q; 1..%d bytes are needed", m.Protocol, maxWord)
	}
	if !bytes.HasPrefix(m.Content, []byte("{")) {
		return m.fail("content", "is no object")
	}
	return m.checkOptional()
}

func (m Message) checkOptional() error {
	ids := [...]struct{ field, id string }{{"conversation-id", m.Conversation}, {"reply-with", m.ReplyWith}, {"in-reply-to", m.InReplyTo}}
	for _, f := range ids {
		if !isID(f.id) {
			return m.fail(f.field, "is %.40q; at most %d characters, ASCII from ! to ~, are needed", f.id, maxID)
		}
	}
	if m.ReplyBy < 0 || m.ReplyBy >= maxTime {
		return m.fail("reply-by", "is %d ms; a time of the years 1970 to 9999 is needed", m.ReplyBy)
	}
	return nil
}

func (m Message) fail(field, format string, args ...any) error {
	return &fieldError{"message", field, fmt.Sprintf(format, args...)}
}

func isWord(text string) bool {
	return text != "" && len(text) <= maxWord && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}

func isID(text string) bool {
	return len(text) <= maxID && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

func checkAgent(field, name string) error {
	if name == "" || len(name) > maxAgent || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return &fieldError{"message", field, fmt.Sprintf("is %.40q; 1..%d bytes of UTF-8 without control characters are needed", name, maxAgent)}
	}
	return nil
}

// readTime reads an RFC 3339 time in UTC, to the millisecond.
func readTime(text string) (ms int64, err error) {
	const layout = "2006-01-02T15:04:05"
	t, err := time.Parse(layout+"Z", text)
	if err != nil || len(text) > len("2006-01-02T15:04:05.123456789Z") || t.Format(layout) != text[:len(layout)] || text[len(layout)] == ',' {
		return 0, fmt.Errorf("%.40q is no time such as 2026-01-02T15:04:05Z, in UTC, with at most nine digits after the second", text)
	}
	return t.UnixMilli(), nil
}

// writeTime writes milliseconds only if there are any.
func writeTime(ms int64) string {
	t := time.UnixMilli(ms).UTC()
	if ms%1000 == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}
