package anex

import (
	"encoding/json"
	"fmt"
)

// Parse reads a message in any valid JSON spelling. It checks length, UTF-8, grammar, depth, number
// of values and duplicate keys in one pass before it looks inside.
//
// It refuses unknown fields, even those that FIPA ACL has and the seed has not. If it ignored
// reply-to, the answer would go to the wrong agent, and if it ignored encoding, it would misread
// the content. FIPA's own advice for an unknown parameter is NOT-UNDERSTOOD. An unknown
// performative or protocol is parsed, so that it can be answered. A language other than JSON or an
// ontology other than ANEX-Ontology is ErrUnknown. Parse then also returns the message, for the
// same reason.
func Parse(raw []byte) (Message, error) {
	spelled, _, err := spell(raw, MaxInform, maxDepth, &mask{whole: true})
	if err != nil {
		return Message{}, err
	}
	f := newForm("message", "", spelled)
	m := Message{
		Performative: readPerformative(f.text("performative", 1, maxWord)),
		Sender:       f.text("sender", 1, maxAgent), Receiver: f.text("receiver", 1, maxAgent),
		Content:  f.need("content"),
		Protocol: Protocol(f.text("protocol", 1, maxWord)), Conversation: f.text("conversation-id", -1, maxID),
		ReplyWith: f.text("reply-with", -1, maxID), InReplyTo: f.text("in-reply-to", -1, maxID), ReplyBy: f.time("reply-by"),
	}
	language, ontology := f.text("language", 1, maxWord), f.text("ontology", 1, maxWord)
	if err := f.done(); err != nil {
		return Message{}, err
	}
	if err := m.check(); err != nil {
		return Message{}, err
	}
	if len(raw) > m.limit() || len(spelled) > m.limit() {
		return Message{}, fmt.Errorf("%w: %s of %d bytes, %d with spaces; at most %d", ErrTooLarge, m.Performative, len(raw), len(spelled),
			m.limit())
	}
	if language != contentLanguage || ontology != contentOntology {
		return m, fmt.Errorf("%w: language %.40q, ontology %.40q", ErrUnknown, language, ontology)
	}
	return m, nil
}

func (f *form) time(field string) int64 {
	text := f.text(field, -1, maxWord)
	if text == "" {
		return 0
	}
	ms, err := readTime(text)
	if err != nil || ms <= 0 || ms >= maxTime {
		f.fail(field, "%.40q is no time such as 2026-01-02T15:04:05Z: RFC 3339, UTC, after 1970, at most nine digits of a second", text)
	}
	return ms
}

// object reads a value that must be an object of at most most bytes.
func (f *form) object(field string, most int) json.RawMessage {
	raw := f.need(field)
	if raw != nil && (raw[0] != '{' || len(raw) > most) {
		f.fail(field, "has %d bytes and begins with %.10q; an object of at most %d bytes is needed", len(raw), raw, most)
	}
	return raw
}
