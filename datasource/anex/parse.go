package anex

import (
	"encoding/json"
	"fmt"
)

// Parse reads a message in any valid JSON spelling. It looks at length, UTF-8, grammar, depth,
// number of values and duplicate keys in one pass before it takes anything apart.
//
// A field that it does not know is refused, also those that FIPA ACL has and the seed has not:
// ignoring reply-to would send the answer to the wrong agent, ignoring encoding would misread the
// content, and FIPA's own advice for a parameter that is not understood is NOT-UNDERSTOOD. A
// performative or protocol that is not known is parsed, so that it can be answered; a language
// other than JSON or an ontology other than ANEX-Ontology is ErrUnknown, and the message is
// returned with it for the same reason.
func Parse(raw []byte) (Message, error) {
	spelled, _, err := spell(raw, MaxInform, MaxDepth, &mask{whole: true})
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
	if language != Language || ontology != Ontology {
		return m, fmt.Errorf("%w: language %.40q, ontology %.40q", ErrUnknown, language, ontology)
	}
	return m, nil
}

// time reads a time that may be absent.
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

// object reads a value that has to be an object of at most most bytes.
func (f *form) object(field string, most int) json.RawMessage {
	raw := f.need(field)
	if raw != nil && (raw[0] != '{' || len(raw) > most) {
		f.fail(field, "has %d bytes and begins with %.10q; an object of at most %d bytes is needed", len(raw), raw, most)
	}
	return raw
}
