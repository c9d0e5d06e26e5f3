package anex

import (
	"encoding/json"
	"fmt"
)

// pair is a member of an object to write; a nil value is left out.
type pair struct {
	name  string
	value json.RawMessage
}

// object writes an object as Spell does. The values must be spelled already.
func object(pairs ...pair) json.RawMessage {
	out, kept := []byte(nil), 0
	for _, p := range pairs {
		if p.value == nil {
			continue
		}
		out = append(out, opening(kept)...)
		out = append(append(append(out, quote(p.name)...), ": "...), p.value...)
		kept++
	}
	return append(out, closing(kept)...)
}

func quotes(texts []string) json.RawMessage {
	out := []byte{'['}
	for i, text := range texts {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, quote(text)...)
	}
	return append(out, ']')
}

// given writes a string that is left out if it is empty.
func given(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return quote(text)
}

// Encode writes a message exactly as the seed of ANEX writes its examples: { "performative":
// "REQUEST", … }, then conversation-id, reply-with, in-reply-to and reply-by, if they are set.
// Encode(Parse(x)) is stable.
func Encode(m Message) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("anex: encode: %w", err)
	}
	content, err := Spell(m.Content, m.limit())
	if err != nil {
		return nil, fmt.Errorf("anex: encode: content: %w", err)
	}
	var by json.RawMessage
	if m.ReplyBy != 0 {
		by = quote(writeTime(m.ReplyBy))
	}
	out := object(pair{"performative", quote(string(m.Performative))}, pair{"sender", quote(m.Sender)}, pair{"receiver", quote(m.Receiver)},
		pair{"content", content}, pair{"language", quote(contentLanguage)}, pair{"ontology", quote(contentOntology)},
		pair{"protocol", quote(string(m.Protocol))}, pair{"conversation-id", given(m.Conversation)},
		pair{"reply-with", given(m.ReplyWith)}, pair{"in-reply-to", given(m.InReplyTo)}, pair{"reply-by", by})
	if len(out) > m.limit() {
		return nil, fmt.Errorf("anex: encode: %w: %d bytes; at most %d", ErrTooLarge, len(out), m.limit())
	}
	return out, nil
}
