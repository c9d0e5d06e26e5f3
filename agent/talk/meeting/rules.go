package meeting

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/datasource/anex"
)

// What names the part of a remark in a meeting.
type What string

// The parts of remarks.
const (
	Opened   What = "opening"
	Joined   What = "joined"
	Spoke    What = "spoke"
	Proposed What = "proposal"
	Accepted What = "accept"
	Rejected What = "reject"
	Removed  What = "removed"
	Left     What = "left"
	Closed   What = "closed"
)

// Noted is an entry that was added.
type Noted struct {
	What    What
	Index   int
	At      int64
	From    string
	Message anex.Message
	Terms   *talk.Agreement // of a proposal and its answers
	Agreed  *talk.Agreement // the last party has signed
	Member  string          // who was removed
}

// done is a remark that the rules allow.
type done struct {
	heard  Noted
	commit func()
}

// look holds a remark to the rules. ahead are own remarks before it that are no entries yet.
func (m *Minutes) look(s remark, ahead int) (d done, err error) {
	if len(s.Message) > maxMessage {
		return d, fmt.Errorf("%w: a message of %d bytes; at most %d", errRule, len(s.Message), maxMessage)
	}
	x, err := anex.Parse(s.Message)
	if err != nil {
		return d, err
	}
	hash, err := s.hash()
	if err != nil {
		return d, err
	}
	d.heard = Noted{From: x.Sender, Message: x}
	if !verify(x.Sender, saidTag, hash, s.Signature) {
		return d, fmt.Errorf("%w: that of %.80q", errSigned, x.Sender)
	}
	if x.Receiver != everybody || x.Conversation != m.ID() || x.ReplyBy != 0 || !x.Performative.Known() || !x.Protocol.Known() && x.Protocol != protocol && x.Protocol != talk.FIPAQuery {
		return d, fmt.Errorf("%w: %.40q of %.40q, of meeting %.64q", errRule, x.Performative, x.Protocol, x.Conversation)
	}
	if len(m.hashes) == 0 {
		return m.begin(s, x, d)
	}
	who := m.members[x.Sender]
	seen, known := m.index[s.Seen]
	switch {
	case who == nil || who.out:
		return d, fmt.Errorf("%w: %.80q is no member, or not any more", errRule, x.Sender)
	case !known || seen < who.seen:
		return d, fmt.Errorf("%w: %.80q has seen the entry %.64q", errChain, x.Sender, s.Seen)
	case x.ReplyWith != strconv.Itoa(who.said+ahead+1):
		return d, fmt.Errorf("%w: remark %.20q of %.80q, and %d is the next", errChain, x.ReplyWith, x.Sender, who.said+ahead+1)
	case who.said+ahead >= maxSaid && (x.Sender != m.convener || who.said+ahead >= maxRule) || who.bytes+len(s.Message) > maxBytes && x.Sender != m.convener:
		return d, errFlooded
	}
	var content map[string]json.RawMessage
	if err := json.Unmarshal(x.Content, &content); err != nil {
		return d, err
	}
	more, err := m.follow(who, x, content, &d.heard, ahead)
	d.commit = func() {
		who.said, who.bytes, who.seen = who.said+1, who.bytes+len(s.Message), seen
		if more != nil {
			more()
		}
	}
	return d, err
}

// begin takes the rules of the meeting.
func (m *Minutes) begin(s remark, x anex.Message, d done) (done, error) {
	var content struct {
		Opening *Opening `json:"opening"`
	}
	if x.Sender != m.convener || x.Protocol != protocol || x.Performative != anex.ActInform || s.Seen != "" || x.ReplyWith != "1" {
		return d, fmt.Errorf("%w: it does not begin with an opening by its convener", errRule)
	}
	if err := json.Unmarshal(x.Content, &content); err != nil || content.Opening == nil {
		return d, fmt.Errorf("%w: the opening cannot be read", errRule)
	}
	o := *content.Opening
	again, err := json.Marshal(map[string]Opening{"opening": o})
	if err == nil {
		again, err = anex.Spell(again, anex.MaxMessage)
	}
	same, sameErr := anex.Spell(x.Content, anex.MaxMessage)
	if err != nil || sameErr != nil || !sameMembers(again, same) {
		return d, fmt.Errorf("%w: the opening has other members than topic, members, speakers and until", errRule)
	}
	const layout = "2006-01-02T15:04:05Z"
	until, err := time.Parse(layout, o.Until)
	if err != nil || until.Format(layout) != o.Until {
		return d, fmt.Errorf("%w: until is no time such as 2026-12-01T10:00:00Z", errRule)
	}
	if o.Topic == "" || len(o.Topic) > 2000 || len(o.Members) == 0 || len(o.Members) >= maxMembers || !names(o.Members) || !names(o.Speakers) || slices.Contains(o.Members, m.convener) {
		return d, fmt.Errorf("%w: an opening has a topic, and 1 to %d members, each once, without the convener", errRule, maxMembers-1)
	}
	for _, who := range o.Speakers {
		if !slices.Contains(o.Members, who) {
			return d, fmt.Errorf("%w: the speaker %.80q is no member", errRule, who)
		}
	}
	d.heard.What = Opened
	d.commit = func() {
		m.opening, m.until = o, until.UnixMilli()
		m.members[m.convener] = &member{in: true, said: 1}
		for _, who := range o.Members {
			m.members[who] = &member{}
		}
	}
	return d, nil
}

// sameMembers compares two objects in any order of their members.
func sameMembers(a, b []byte) bool {
	x, _, errX := canonical(json.RawMessage(a))
	y, _, errY := canonical(json.RawMessage(b))
	return errX == nil && errY == nil && string(x) == string(y)
}

// names reports whether a list has keys of agents, each once.
func names(list []string) bool {
	for i, who := range list {
		if _, err := delegation.ParsePrincipal(who); err != nil || slices.Contains(list[:i], who) {
			return false
		}
	}
	return true
}

// speaks reports whether somebody may say more than that it joins and leaves.
func (m *Minutes) speaks(who string) bool {
	return who == m.convener || len(m.opening.Speakers) == 0 || slices.Contains(m.opening.Speakers, who)
}

// Speakers are all who may sign terms here, and did not leave.
func (m *Minutes) Speakers() (out []string) {
	for _, who := range append([]string{m.convener}, m.opening.Members...) {
		if m.speaks(who) && !m.members[who].out {
			out = append(out, who)
		}
	}
	return out
}

// follow finds the part of a remark. commit may be nil.
func (m *Minutes) follow(who *member, x anex.Message, content map[string]json.RawMessage, h *Noted, ahead int) (commit func(), err error) {
	fail := func(why string) (func(), error) {
		return nil, fmt.Errorf("%w: %s, by %.80q", errRule, why, x.Sender)
	}
	introduction := x.Protocol == anex.Handshaking && x.Performative == anex.ActRequest && strings.Contains(text(content, "message"), anex.Marker)
	joined := who.in || ahead > 0
	switch {
	case introduction != !joined:
		return fail("a member introduces itself first, and once")
	case introduction:
		h.What = Joined
		return func() { who.in = true }, nil
	case x.Protocol == anex.Termination && x.Performative == anex.ActInform:
		if h.What = Left; x.Sender == m.convener {
			h.What = Closed
			return func() { m.closed = true }, nil
		}
		return func() { who.out = true }, nil
	case x.Performative == anex.ActCancel:
		h.Member = text(content, "member")
		gone := m.members[h.Member]
		if x.Sender != m.convener || gone == nil || gone.out || h.Member == m.convener {
			return fail("the convener removes members")
		}
		h.What = Removed
		return func() { gone.out = true }, nil
	case !m.speaks(x.Sender):
		return fail("a listener speaks")
	case x.Protocol == protocol:
		return fail("a second opening")
	case x.Protocol == anex.ContractNet && x.Performative == anex.ActPropose:
		return m.propose(x, content, h)
	case x.Protocol == anex.ContractNet && (x.Performative == anex.ActAcceptProposal || x.Performative == anex.ActRejectProposal):
		return m.answer(x, content, h)
	}
	h.What = Spoke
	return nil, nil
}

// propose takes terms that all of their parties have to sign.
func (m *Minutes) propose(x anex.Message, content map[string]json.RawMessage, h *Noted) (commit func(), err error) {
	a, err := talk.ParseAgreement(content["terms"])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRule, err)
	}
	if a.Parties == nil || a.Signatures != nil || a.Conversation != m.ID() || a.Asker != x.Sender || len(content) != 1 {
		return nil, fmt.Errorf("%w: terms that are not of this meeting and its proposer", errRule)
	}
	for _, who := range a.Parties {
		if m.members[who] == nil || !m.speaks(who) {
			return nil, fmt.Errorf("%w: the party %.80q does not speak here", errRule, who)
		}
	}
	hash := a.Hash()
	if m.open[hash] != nil {
		return nil, fmt.Errorf("%w: these terms were proposed before", errRule)
	}
	h.What, h.Terms = Proposed, &a
	return func() { m.open[hash] = &terms{agreement: a, answered: map[string]bool{}} }, nil
}

// answer takes a signature of a party, or its no.
func (m *Minutes) answer(x anex.Message, content map[string]json.RawMessage, h *Noted) (commit func(), err error) {
	t := m.open[text(content, "terms")]
	if t == nil || !slices.Contains(t.agreement.Parties, x.Sender) || t.answered[x.Sender] {
		return nil, fmt.Errorf("%w: an answer to terms that %.80q cannot answer, or has answered", errRule, x.Sender)
	}
	a := t.agreement
	h.Terms = &a
	if x.Performative == anex.ActRejectProposal {
		h.What = Rejected
		return func() { t.answered[x.Sender], t.rejected = true, true }, nil
	}
	if !a.Countersign(x.Sender, text(content, "signature")) {
		return nil, fmt.Errorf("%w: that of %.80q under the terms", errSigned, x.Sender)
	}
	h.What = Accepted
	if !t.rejected && len(a.Signatures) == len(a.Parties) {
		h.Agreed = &a
	}
	return func() { t.answered[x.Sender], t.agreement = true, a }, nil
}

func text(content map[string]json.RawMessage, name string) string {
	var out string
	if json.Unmarshal(content[name], &out) != nil {
		return ""
	}
	return out
}
