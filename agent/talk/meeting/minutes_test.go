package meeting

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/datasource/anex"
)

type key ed25519.PrivateKey

func newKey(seed byte) key {
	return key(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
}

func (k key) did() string                     { return k.Principal().String() }
func (k key) Principal() delegation.Principal { return delegation.Principal(k[32:]) }
func (k key) Sign(message []byte) [64]byte {
	return [64]byte(ed25519.Sign(ed25519.PrivateKey(k), message))
}

const (
	start = int64(1_796_119_200_000) // 2026-12-01T10:00:00Z
	until = "2026-12-01T12:00:00Z"
)

// meet are the minutes of a convener (0) and its members, who hear all.
type meet struct {
	t       testing.TB
	keys    []key
	all     []*Minutes
	entries [][]byte
}

func message(act anex.Performative, protocol anex.Protocol, content string) anex.Message {
	return anex.Message{Performative: act, Protocol: protocol, Content: json.RawMessage(content)}
}

func newMeet(t testing.TB, n int, speakers ...int) *meet {
	m := &meet{t: t}
	o := Opening{Topic: "A trip", Until: until}
	for i := range n {
		m.keys = append(m.keys, newKey(byte(i+1)))
		m.all = append(m.all, newMinutes(m.keys[0].did()))
		if i > 0 {
			o.Members = append(o.Members, m.keys[i].did())
		}
	}
	for _, i := range speakers {
		o.Speakers = append(o.Speakers, m.keys[i].did())
	}
	content, err := json.Marshal(map[string]Opening{"opening": o})
	if err != nil {
		t.Fatal(err)
	}
	m.say(0, message(anex.ActInform, protocol, string(content)))
	for i := range n {
		if i > 0 {
			m.say(i, message(anex.ActRequest, anex.Handshaking, `{"message":"Hi, I'm an AI assistant [PA*]."}`))
		}
	}
	return m
}

// said makes a remark of a member as that member sees the meeting.
func (m *meet) said(by int, x anex.Message) []byte {
	m.t.Helper()
	raw, err := m.all[by].Say(m.keys[by], x)
	if err != nil {
		m.t.Fatal(err)
	}
	return raw
}

// say lets a member say something that all hear.
func (m *meet) say(by int, x anex.Message) Noted {
	m.t.Helper()
	raw, h, err := m.all[0].Order(m.keys[0], m.keys[by].did(), m.said(by, x), start)
	if err != nil {
		m.t.Fatal(err)
	}
	m.entries = append(m.entries, raw)
	for i := 1; i < len(m.all); i++ {
		if _, err := m.all[i].Add(raw, start, m.keys[i].did()); err != nil {
			m.t.Fatal(i, err)
		}
	}
	return h
}

func words(text string) anex.Message {
	return message(anex.ActInform, anex.DataExchange, fmt.Sprintf(`{"message":%q}`, text))
}

// terms are what a member may propose to some.
func (m *meet) terms(by int, parties ...int) talk.Agreement {
	var who []string
	for _, i := range parties {
		who = append(who, m.keys[i].did())
	}
	return talk.Several(m.all[0].ID(), m.keys[by].did(), "A trip", who, []string{"pay a third"}, json.RawMessage(`{"rooms":3}`), "2026-12-01T10:00:00Z")
}

func (m *meet) propose(by int, parties ...int) (Noted, talk.Agreement) {
	m.t.Helper()
	a := m.terms(by, parties...)
	raw, err := json.Marshal(map[string]talk.Agreement{"terms": a})
	if err != nil {
		m.t.Fatal(err)
	}
	return m.say(by, message(anex.ActPropose, anex.ContractNet, string(raw))), a
}

func (m *meet) yes(by int, a talk.Agreement) anex.Message {
	return message(anex.ActAcceptProposal, anex.ContractNet, fmt.Sprintf(`{"terms":%q,"signature":%q}`, a.Hash(), a.Sign(m.keys[by])))
}

// TestAgreement: terms bind when all of their parties signed, who may be some of the members. One
// that never answers, or says no, holds up those terms alone.
func TestAgreement(t *testing.T) {
	t.Parallel()
	m := newMeet(t, 4)
	m.say(1, words("Shall we go?"))
	_, all := m.propose(1, 0, 1, 2, 3)
	for _, by := range []int{0, 1, 2} {
		if h := m.say(by, m.yes(by, all)); h.Agreed != nil {
			t.Error("an agreement without the signature of one")
		}
	}
	// The fourth never answers.
	_, some := m.propose(2, 1, 2)
	m.say(1, m.yes(1, some))
	h := m.say(2, m.yes(2, some))
	if h.Agreed == nil || h.Agreed.Verify() != nil || h.Agreed.Hash() != some.Hash() || len(h.Agreed.Signatures) != 2 {
		t.Fatalf("%+v", h.Agreed)
	}
	raw, err := h.Agreed.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := talk.ParseAgreement(raw); err != nil || read.Verify() != nil {
		t.Errorf("%s, %v", raw, err)
	}
	if task, err := h.Agreed.Task(m.keys[2].did(), m.keys[1].did()); err != nil || !strings.Contains(string(task), "Several agents signed") {
		t.Errorf("%s, %v", task, err)
	}
	_, third := m.propose(3, 0, 3)
	m.say(3, m.yes(3, third))
	m.say(0, message(anex.ActRejectProposal, anex.ContractNet, fmt.Sprintf(`{"terms":%q}`, third.Hash())))
	m.say(1, message(anex.ActInform, anex.Termination, `{"message":"Bye."}`))
	m.say(0, message(anex.ActCancel, anex.Handshaking, fmt.Sprintf(`{"member":%q}`, m.keys[2].did())))
	m.say(0, message(anex.ActInform, anex.Termination, `{"message":"Session terminated."}`))
	got, heard, err := Verify(m.entries, start)
	if err != nil || !got.Closed() || len(heard) != len(m.entries) || got.ID() != m.all[3].ID() {
		t.Errorf("%v", err)
	}
	for i := range m.all {
		if m.all[i].Head() != got.Head() || m.all[i].Waits() {
			t.Errorf("member %d has other minutes", i)
		}
	}
}

// resign lets the convener sign an entry again after a change.
func (m *meet) resign(raw []byte, change func(*entry)) []byte {
	m.t.Helper()
	e, err := read[entry](raw)
	if err != nil {
		m.t.Fatal(err)
	}
	change(&e)
	hash, err := e.hash()
	if err != nil {
		m.t.Fatal(err)
	}
	e.Signature = sign(m.keys[0], entryTag, hash)
	out, _, err := canonical(e)
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// put makes an entry of the convener of a remark, as the next one of these minutes.
func (m *meet) put(in *Minutes, said []byte) []byte {
	s, err := read[remark](said)
	if err != nil {
		m.t.Fatal(err)
	}
	empty, _, err := canonical(entry{})
	if err != nil {
		m.t.Fatal(err)
	}
	return m.resign(empty, func(e *entry) { *e = entry{At: start, Index: in.Len(), Prev: in.Head(), Said: s} })
}

// TestAttackConvener: whatever a convener does to what others said, the next member that hears it
// finds it, and its minutes do not change.
func TestAttackConvener(t *testing.T) {
	t.Parallel()
	m := newMeet(t, 3)
	first, second := m.said(1, words("one")), m.said(1, words("two"))
	other := newMeet(t, 3)
	other.say(0, words("something else"))
	foreign := other.said(1, words("one"))
	victim := m.all[2]
	own := m.said(0, words("of the convener"))
	for name, raw := range map[string][]byte{
		"left out":           m.put(victim, second),
		"of another meeting": m.resign(m.put(victim, foreign), func(e *entry) {}),
		"changed":            m.resign(m.put(victim, first), func(e *entry) { e.Said.Message = bytes.Replace(e.Said.Message, []byte(`"one"`), []byte(`"won"`), 1) }),
		"invented": m.resign(m.put(victim, own), func(e *entry) {
			e.Said.Message = bytes.Replace(e.Said.Message, []byte(m.keys[0].did()), []byte(m.keys[1].did()), 1)
		}),
		"said to have seen more": m.resign(m.put(victim, first), func(e *entry) { e.Said.Seen = m.all[0].hashes[1] }),
		"repeated":               m.resign(m.put(victim, first), func(e *entry) { s, _ := read[entry](m.entries[2]); e.Said = s.Said }),
		"a gap":                  m.resign(m.put(victim, first), func(e *entry) { e.Index++ }),
		"another past":           m.resign(m.put(victim, first), func(e *entry) { e.Prev = m.all[0].hashes[1] }),
		"of tomorrow":            m.resign(m.put(victim, first), func(e *entry) { e.At += 24 * 3600_000 }),
		"of yesterday":           m.resign(m.put(victim, first), func(e *entry) { e.At -= 24 * 3600_000 }),
		"not signed":             bytes.Replace(m.put(victim, first), []byte(`"at":`), []byte(`"at":1`), 1),
		"another form":           append([]byte(" "), m.put(victim, first)...),
		"another name":           bytes.Replace(m.put(victim, first), []byte(`"said"`), []byte(`"Said"`), 1),
	} {
		before := victim.Head()
		if _, err := victim.Add(raw, start, m.keys[2].did()); err == nil {
			t.Errorf("%s is taken", name)
		}
		if victim.Head() != before {
			t.Errorf("%s changed the minutes", name)
		}
	}
	for _, said := range [][]byte{first, second} {
		if _, err := victim.Add(m.put(victim, said), start, m.keys[2].did()); err != nil {
			t.Errorf("the right one is refused: %v", err)
		}
	}
}

// TestAttackFork: a convener that tells two members different things is found when one of them
// hears the other, and the two minutes prove it.
func TestAttackFork(t *testing.T) {
	t.Parallel()
	m := newMeet(t, 3)
	a, b := m.all[1], m.all[2]
	toA, toB := m.put(a, m.said(0, words("I pay for all."))), []byte(nil)
	m.all[0].unheard = 0
	toB = m.put(b, m.said(0, words("Each pays alone.")))
	for i, raw := range [][]byte{toA, toB} {
		if _, err := m.all[i+1].Add(raw, start, m.keys[i+1].did()); err != nil {
			t.Fatal(err)
		}
	}
	said := m.said(1, words("Good."))
	if _, err := b.Add(m.put(b, said), start, m.keys[2].did()); !errors.Is(err, errChain) {
		t.Errorf("the fork is not found: %v", err)
	}
	// Terms have the same hash for both, because the meeting is the same, but what the second one
	// says is refused by the first, too.
	if _, err := a.Add(m.put(a, m.said(2, words("Good."))), start, m.keys[1].did()); !errors.Is(err, errChain) {
		t.Errorf("the fork is not found: %v", err)
	}
	x, _, errX := Verify(append(m.entries[:3:3], toA), start)
	y, _, errY := Verify(append(m.entries[:3:3], toB), start)
	if errX != nil || errY != nil || Fork(x, y) != 3 || Fork(x, m.all[0]) != -1 {
		t.Errorf("%v, %v, %d", errX, errY, Fork(x, y))
	}
}

// TestAttackMember: what a member must not say is its fault, and changes nothing.
func TestAttackMember(t *testing.T) {
	t.Parallel()
	m := newMeet(t, 4, 1, 2)
	_, terms := m.propose(1, 0, 1)
	m.say(1, m.yes(1, terms))
	introduction := message(anex.ActRequest, anex.Handshaking, `{"message":"[PA*]"}`)
	// forge makes a remark past the machine of its author.
	forge := func(by int, x anex.Message, change func(*remark)) []byte {
		x.Sender, x.Receiver, x.Conversation, x.ReplyWith = m.keys[by].did(), everybody, m.all[0].ID(), strconv.Itoa(m.all[0].members[m.keys[by].did()].said+1)
		spelled, err := anex.Encode(x)
		if err != nil {
			t.Fatal(err)
		}
		s := remark{Message: spelled, Seen: m.all[0].Head()}
		if change != nil {
			change(&s)
		}
		plain, _, err := canonical(s)
		if err != nil {
			t.Fatal(err)
		}
		var canonicalised remark
		if err := json.Unmarshal(plain, &canonicalised); err != nil {
			t.Fatal(err)
		}
		s = canonicalised
		hash, err := s.hash()
		if err != nil {
			t.Fatal(err)
		}
		s.Signature = sign(m.keys[by], saidTag, hash)
		out, _, err := canonical(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	replace := func(old, by string) func(*remark) {
		return func(s *remark) { s.Message = bytes.Replace(s.Message, []byte(old), []byte(by), 1) }
	}
	for name, k := range map[string]struct {
		by  int
		raw []byte
	}{
		"as another":                 {2, forge(1, words("x"), nil)},
		"signed by another":          {1, forge(2, words("x"), replace(m.keys[2].did(), m.keys[1].did()))},
		"the same number":            {1, forge(1, words("x"), replace(`"reply-with": "4"`, `"reply-with": "3"`))},
		"a later number":             {1, forge(1, words("x"), replace(`"reply-with": "4"`, `"reply-with": "5"`))},
		"seen nothing":               {1, forge(1, words("x"), func(s *remark) { s.Seen = "" })},
		"seen less than before":      {1, forge(1, words("x"), func(s *remark) { s.Seen = m.all[0].hashes[0] })},
		"seen what is not":           {1, forge(1, words("x"), func(s *remark) { s.Seen = strings.Repeat("0", 64) })},
		"to one alone":               {1, forge(1, words("x"), replace(`"receiver": "*"`, `"receiver": "`+m.keys[2].did()+`"`))},
		"a word":                     {1, forge(1, message("SING", anex.DataExchange, `{}`), nil)},
		"introduced again":           {1, forge(1, introduction, nil)},
		"a listener speaks":          {3, forge(3, words("x"), nil)},
		"a member removes":           {1, forge(1, message(anex.ActCancel, anex.Handshaking, fmt.Sprintf(`{"member":%q}`, m.keys[2].did())), nil)},
		"a second opening":           {1, forge(1, message(anex.ActInform, protocol, `{"opening":{}}`), nil)},
		"no party signs":             {2, forge(2, m.yes(2, terms), nil)},
		"signed twice":               {1, forge(1, m.yes(1, terms), nil)},
		"no signature":               {0, forge(0, message(anex.ActAcceptProposal, anex.ContractNet, fmt.Sprintf(`{"terms":%q}`, terms.Hash())), nil)},
		"terms that are none":        {1, forge(1, message(anex.ActPropose, anex.ContractNet, `{"terms":{}}`), nil)},
		"no remark":                  {1, []byte(`{}`)},
		"a number not exact":         {1, forge(1, message(anex.ActInform, anex.DataExchange, `{"n":9007199254740994}`), nil)},
		"too long":                   {1, forge(1, words(strings.Repeat("x", maxMessage)), nil)},
		"a line feed in a signature": {0, forge(0, message(anex.ActAcceptProposal, anex.ContractNet, fmt.Sprintf(`{"terms":%q,"signature":%q}`, terms.Hash(), "\n"+terms.Sign(m.keys[0]))), nil)},
		"nothing":                    {1, nil},
	} {
		before := m.all[0].Head()
		if _, _, err := m.all[0].Order(m.keys[0], m.keys[k.by].did(), k.raw, start); err == nil || m.all[0].Head() != before {
			t.Errorf("%s is taken", name)
		}
	}
	if _, _, err := m.all[0].Order(m.keys[0], m.keys[1].did(), forge(1, words("x"), nil), start); err != nil {
		t.Errorf("the right one is refused: %v", err)
	}
	stranger := newKey(9)
	if _, err := m.all[0].Say(stranger, introduction); err == nil {
		t.Error("a stranger joins")
	}
}

// TestAttackFlood: a member has a number of remarks and of bytes, and takes none of others.
func TestAttackFlood(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]struct {
		text  string
		least int
	}{"remarks": {"x", maxSaid - 1}, "bytes": {strings.Repeat("x", 30<<10), 32}} {
		m := newMeet(t, 3)
		n := 0
		for ; n <= maxSaid; n++ {
			raw, err := m.all[1].Say(m.keys[1], words(k.text))
			if err != nil {
				if !errors.Is(err, errFlooded) {
					t.Fatal(err)
				}
				break
			}
			entry, _, err := m.all[0].Order(m.keys[0], m.keys[1].did(), raw, start)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range []int{1, 2} {
				if _, err := m.all[i].Add(entry, start, m.keys[i].did()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n < k.least || n > maxSaid-1 {
			t.Errorf("%s: %d remarks", name, n)
		}
		m.say(2, words("I can still speak."))
	}
}

// FuzzAdd gives frames of a convener to a member at each point of a meeting.
func FuzzAdd(f *testing.F) {
	m := newMeet(f, 3)
	_, terms := m.propose(1, 0, 1)
	m.say(1, m.yes(1, terms))
	m.say(0, m.yes(0, terms))
	for i, raw := range m.entries {
		f.Add(uint8(i), raw)
	}
	f.Fuzz(func(t *testing.T, upTo uint8, raw []byte) {
		at, _, err := Verify(m.entries[:min(max(int(upTo), 1), len(m.entries))], start)
		if err != nil {
			t.Fatal(err)
		}
		n, head := at.Len(), at.Head()
		h, err := at.Add(raw, start, "")
		if err != nil && at.Head() != head || err == nil && (at.Len() != n+1 || h.Index != n) {
			t.Errorf("%+v, %v", h, err)
		}
		if _, _, err := at.Order(m.keys[0], m.keys[1].did(), raw, start); err == nil && h.What == "" && at.Len() != n+1 {
			t.Error("an order without an entry")
		}
	})
}
