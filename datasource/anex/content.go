package anex

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Marker in a self-identification declares that its agent speaks ANEX.
const Marker = "[PA*]"

// terminated is the seed's text of the last message.
const terminated = "Session terminated."

// maxDetails is the length of the details of an engagement.
const maxDetails = 8 << 10

// Engagement is the content of the REQUEST that asks whether the other agent will talk at all.
// Details is an object with the answer to a modification, or nil.
type Engagement struct {
	Request string
	Details json.RawMessage
}

// Refusal is the content of a REFUSE. To a CFP it may say which terms would have helped.
type Refusal struct {
	Response string
	Demand   []string // promises that the holder demands and the asker did not offer
	Price    uint64   // lamports, if the price was above the limit; otherwise 0
}

// Text for people is one member of content, and no part of an agreement.

// text reads such a member.
func (m Message) text(field string) (string, error) {
	f := newForm("content of "+string(m.Performative), "", m.Content)
	text := f.text(field, 0, maxText)
	return text, f.err
}

// say writes such a content. It cuts text of others to the size that a message may hold.
func say(field, text string) json.RawMessage {
	return object(pair{field, quote(clip(text))})
}

// plain returns an error as the text of a message.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "anex: ") }

// clip shortens text to maxText bytes of valid UTF-8.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

func (e Engagement) encode() json.RawMessage {
	return object(pair{"request", quote(e.Request)}, pair{"details", e.Details})
}

func readEngagement(content json.RawMessage) (Engagement, error) {
	f := newForm("content of REQUEST", "", content)
	e := Engagement{Request: f.text("request", 1, maxText)}
	if f.find("details") != nil {
		e.Details = f.object("details", maxDetails)
	}
	return e, f.err
}

// spelled returns the engagement, spelled as it can be sent.
func (e Engagement) spelled() (Engagement, error) {
	if e.Details != nil {
		details, err := Spell(e.Details, maxDetails)
		if err != nil {
			return e, fmt.Errorf("details: %w", err)
		}
		e.Details = details
	}
	return readEngagement(e.encode())
}

func (r Refusal) encode() json.RawMessage {
	var demand json.RawMessage
	if len(r.Demand) > 0 {
		demand = quotes(r.Demand)
	}
	return object(pair{"response", quote(clip(r.Response))}, pair{"demand", demand}, pair{"price", lamports(r.Price, false)})
}

func readRefusal(content json.RawMessage) (Refusal, error) {
	f := newForm("content of REFUSE", "", content)
	r := Refusal{Response: f.text("response", 0, maxText)}
	if f.find("demand") != nil {
		r.Demand = Texts(f.names("demand", false))
	}
	r.Price, _ = f.amount("price")
	return r, f.err
}

func sayAnswer(yes bool) json.RawMessage {
	if yes {
		return say("answer", "yes")
	}
	return say("answer", "no")
}
