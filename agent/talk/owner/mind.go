package owner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// ByAgent is the choice of terms by a mind, within what the owner listed.
const ByAgent Choice = "mind"

// Begin is what a mind hears of a conversation that it begins.
const Begin talk.What = "begin"

// The bounds of what a mind hears.
const (
	maxHeard = 16 << 10 // bytes of a content
	maxPast  = 12       // lines of the conversation
	maxPart  = 1 << 10  // bytes of one
)

// line is something that was said in a conversation before.
type line struct {
	From string `json:"from"` // you, or peer
	Text string `json:"text"`
}

// Past is what a mind hears of what was said before. The oldest lines are dropped.
type Past []line

// Add adds what was said.
func (p *Past) Add(from, text string) {
	if len(*p) == maxPast {
		*p = slices.Delete(*p, 0, 1)
	}
	*p = append(*p, line{from, clip(text, maxPart)})
}

func clip(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "?")
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.ToValidUTF8(text[:most], "?") + " …"
}

// Brief is what a mind is asked in a conversation. Everything in it that the peer wrote is a
// stranger's words.
type Brief struct {
	Peer  string          `json:"peer"`
	Owner string          `json:"owner"`          // the person for whom the mind speaks
	Goal  string          `json:"goal,omitempty"` // why it began the conversation
	Heard string          `json:"heard"`          // what kind of message it is
	Text  string          `json:"text"`           // its content
	Past  Past            `json:"past,omitempty"`
	Terms *talk.Agreement `json:"terms,omitempty"`  // that were proposed
	Agree *talk.Agreement `json:"agreed,omitempty"` // that both signed
	// Data are what the agreement lets the agent tell. Others the mind never sees.
	Data  json.RawMessage `json:"data,omitempty"`
	Limit limits          `json:"within"`
	May   []string        `json:"may"` // what it may say, as a person types it
	Turns int             `json:"turns_left"`
	Error string          `json:"error,omitempty"` // why its last line was not said
}

// limits are what terms may have, whoever decides about them.
type limits struct {
	Access   []string `json:"access"`
	Asks     []string `json:"ask,omitempty"`
	Promise  []string `json:"promise"`
	For      []string `json:"for"`
	Relation []string `json:"relation,omitempty"`
}

// sayable are the commands that a mind may use, by what was heard. None of them binds its owner to
// more than the owner listed.
func sayable(what talk.What) []string {
	switch what {
	case talk.Engagement:
		return []string{"agree", "refuse", "modify"}
	case talk.Modification:
		return []string{"request", "refuse"}
	case talk.Call:
		return []string{"offer", "refuse"}
	case talk.Proposal:
		return []string{"accept", "reject", "offer"}
	case talk.Request:
		return []string{"tell", "refuse", "fail"}
	case talk.Question:
		return []string{"yes", "no", "unknown"}
	case talk.Subscription:
		return []string{"refuse"}
	case talk.PlainText:
		return []string{"text", "cancel"}
	case Begin:
		return []string{"request"}
	}
	return []string{"request", "call", "ask", "query", "tell", "subscribe", "end", "wait"}
}

// forms say how commands are written.
var forms = map[string]string{
	"agree": "agree TEXT", "refuse": "refuse TEXT", "modify": "modify WHAT HAS TO CHANGE", "offer": "offer access=NAME,NAME promise=\"TEXT\"", "accept": "accept",
	"reject": "reject TEXT", "tell": "tell {JSON OBJECT}", "fail": "fail TEXT", "text": "text TEXT", "request": "request TEXT", "query": "query TEXT",
	"call": "call request_type=\"TEXT\" access=NAME(m),NAME promise=\"TEXT\"", "ask": "ask {\"what\":NAME}", "subscribe": "subscribe TOPIC",
	"wait": "wait (say nothing)",
}

// Follows reports whether a mind that pursues a goal is asked what comes next.
func Follows(what talk.What) bool {
	return slices.Contains([]talk.What{Begin, talk.Introduction, talk.Agree, talk.Refuse, talk.Reject, talk.Signature, talk.Data, talk.Answer, talk.Failure, talk.Unclear}, what)
}

// Brief says what a mind is asked about something that was heard. Alone says that no person is
// there to whom it may leave the decision.
func (o *Owner) Brief(h talk.Heard, past Past, alone bool) Brief {
	b := Brief{
		Owner: o.Name, Heard: string(h.What), Text: clip(string(h.Message.Content), maxHeard), Past: past, Terms: h.Terms, Agree: o.did.agreed,
		Limit: limits{Access: o.Access, Asks: o.Asks, Promise: o.Promise, For: o.For, Relation: o.Relation},
	}
	if h.What == talk.PlainText {
		b.Text = clip(h.Text, maxHeard)
	}
	if data, ok := o.told(""); ok && len(data) <= maxHeard {
		b.Data = data
	}
	for _, word := range sayable(h.What) {
		if form := forms[word]; form != "" {
			word = form
		}
		b.May = append(b.May, word)
	}
	if !alone {
		b.May = append(b.May, person+" (a person decides)")
	}
	return b
}

// person is what a mind says to leave a decision to a person.
const person = "person"

// Decides reports whether a mind is asked about something that a person would decide. Terms are for
// a mind only if the owner says so, and a call only if it is within the lists.
func (o *Owner) Decides(h talk.Heard) bool {
	switch h.What {
	case talk.Call:
		return o.Terms == ByAgent && h.CFP != nil && o.known(h.CFP, h.Message.Sender)
	case talk.Proposal:
		return o.Terms == ByAgent
	}
	return true
}

// ErrPerson: the mind leaves the decision to a person.
var ErrPerson = errors.New("the mind leaves it to a person")

// ReadAnswer reads what a mind says to something that was heard. Its lines may do less than those
// of a person: what it proposes, accepts and tells is within what the owner listed and what was
// agreed.
func (o *Owner) ReadAnswer(h talk.Heard, text string) (s Said, err error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == person:
		return s, ErrPerson
	case strings.ContainsAny(text, "\n\r") || len(text) > maxHeard:
		return s, fmt.Errorf("it is one line of at most %d bytes", maxHeard)
	case !slices.Contains(sayable(h.What), word):
		return s, fmt.Errorf("%.20q cannot be said to this; say one of %s", word, strings.Join(sayable(h.What), ", "))
	case word == "wait":
		return Said{}, nil
	}
	switch word {
	case "offer", "call":
		err = o.within(word, rest)
	case "accept":
		if o.offer == nil || o.offer != h.Terms || !o.allows(h.Terms) {
			return s, errors.New("these terms have more than your owner listed, or others came since; reject them")
		}
		s = Said{Binds: true, Signs: o.offer}
		s.Move, err = o.accept()
		return s, err
	case "tell":
		err = o.tellable(rest)
	}
	if err != nil {
		return s, err
	}
	before := o.heard
	if h.What != Begin {
		o.heard = &h // others may have come since
	}
	s, err = o.ReadLine(text)
	o.heard = before
	o.did.typed = o.did.typed && word != "offer" // so that it is looked at again before it is signed
	if h.What == talk.Request || h.What == talk.Question {
		s.Move.Message.InReplyTo = h.Message.ReplyWith
	}
	return s, err
}

// within refuses terms of a mind that have more than its owner listed.
func (o *Owner) within(word, rest string) error {
	allowed := []string{"access", "promise"}
	if word == "call" {
		allowed = append(allowed, "request_type", "relation")
	}
	terms, err := Keys(rest, allowed...)
	if err != nil {
		return err
	}
	access := o.Access
	if word == "call" {
		access = o.Asks // access binds both, so these are no words of a stranger, either
	}
	for name, most := range map[string][]string{"access": access, "promise": o.Promise} {
		all, _ := terms[name].([]string)
		for _, n := range anex.Names(all...) {
			if !slices.Contains(most, n.Text) {
				return fmt.Errorf("%s has %.100q, and your owner lists %q", name, n.Text, most)
			}
		}
	}
	if relation, _ := terms["relation"].(string); relation != "" && !slices.Contains(o.Relation, relation) {
		return fmt.Errorf("relation is %.100q, and your owner lists %q", relation, o.Relation)
	}
	purpose, _ := terms["request_type"].(string)
	if word == "call" && !slices.Contains(o.For, purpose) {
		return fmt.Errorf("request_type is %.100q, and your owner lists %q", purpose, o.For)
	}
	return nil
}

// tellable refuses data of a mind that no agreement grants.
func (o *Owner) tellable(text string) error {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &all) != nil || all == nil {
		return errors.New("tell needs a JSON object")
	}
	granted := []string(nil)
	if o.did.agreed != nil {
		if granted = o.did.agreed.Access; o.did.agreed.Asker == o.Key.Principal().String() {
			granted = o.Access
		}
	}
	for name := range all {
		if !slices.Contains(granted, name) {
			return fmt.Errorf("%.100q is not granted; granted is %q", name, granted)
		}
	}
	return nil
}
