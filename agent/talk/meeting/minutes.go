// Package meeting is a conversation of several agents through one of them, its convener: the
// minutes, which are a chain of signed remarks, and the rules of what may be said
// (docs/talking.md).
//
// The convener puts what members say into an order, and is not trusted with it. Each remark is
// signed by its author, counts the remarks of its author, and names the last entry that its
// author has seen. Each entry is signed by the convener and names the entry before it. So the
// convener cannot change, invent, repeat or reorder what others said. If it leaves something out,
// its author misses it, and if it tells members different things, the next remark of one that
// the other hears names an entry that the other does not have.
//
// Minutes are the rules: they do no I/O, use no clock, and are used from one goroutine. Table and
// Join run a meeting over connections, whose peers the caller has proven.
package meeting

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/talk"
	"ojud/agent/talk/cbor"
	"ojud/casefile/canon"
	"ojud/datasource/anex"
)

// The bounds of a meeting.
const (
	MaxFrame   = 96 << 10 // bytes of an entry or a remark
	maxMessage = 32 << 10 // of its message; with spaces it has less than anex.MaxMessage in each language
	maxMembers = 32       // with the convener
	maxSaid    = 256      // remarks of a member
	maxBytes   = 1 << 20  // of them
	maxRule    = 2 * maxSaid
	// MaxTime is how long a meeting lasts at most.
	MaxTime = 24 * time.Hour
	// slack is how much clocks may differ.
	slack = 2 * time.Minute
)

const (
	saidTag  = "anex:meeting:v1"
	entryTag = "anex:minutes:v1"
)

// protocol is that of the opening.
const protocol anex.Protocol = "ANEX-Meeting"

// everybody is the receiver of all remarks.
const everybody = "*"

// Opening are the rules of a meeting, its first remark.
type Opening struct {
	Topic    string   `json:"topic"`
	Members  []string `json:"members"`            // who may join, besides the convener
	Speakers []string `json:"speakers,omitempty"` // of them, who may speak; all without it
	Until    string   `json:"until"`              // RFC 3339: when it is over
}

// remark is what a member signs.
type remark struct {
	Message   json.RawMessage `json:"message"`
	Seen      string          `json:"seen"` // hash of the last entry that the author has seen
	Signature string          `json:"signature,omitempty"`
}

// entry is what the convener signs.
type entry struct {
	At        int64  `json:"at"` // Unix ms, of the convener's clock
	Index     int    `json:"index"`
	Prev      string `json:"prev"` // hash of the entry before
	Said      remark `json:"said"`
	Signature string `json:"signature,omitempty"`
}

// canonical returns the one form of a value, and the hash of it that is signed.
func canonical(v any) (raw []byte, hash string, err error) {
	if raw, err = json.Marshal(v); err == nil {
		raw, err = canon.JSON(raw, MaxFrame)
	}
	sum := sha256.Sum256(raw)
	return raw, hex.EncodeToString(sum[:]), err
}

// read reads a value in its one form.
func read[T any](raw []byte) (v T, err error) {
	if err := canon.Exact(raw, MaxFrame); err != nil {
		return v, err
	}
	// What has a form in CBOR, all languages read in the same way. Otherwise a member could say
	// something that some take, and for which others blame the convener.
	if _, ok := cbor.Encode(raw, 8*MaxFrame); !ok {
		return v, errors.New("a number that not all languages read in the same way, or no object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, err
	}
	again, _, err := canonical(v)
	if err == nil && !bytes.Equal(again, raw) {
		err = errors.New("a member is missing or spelled in another way")
	}
	return v, err
}

func (s remark) hash() (string, error) {
	s.Signature = ""
	_, hash, err := canonical(s)
	return hash, err
}

func (e entry) hash() (string, error) {
	e.Signature = ""
	_, hash, err := canonical(e)
	return hash, err
}

func sign(key delegation.Signer, tag, hash string) string {
	raw := key.Sign([]byte(tag + hash))
	return base64.StdEncoding.EncodeToString(raw[:])
}

func verify(who, tag, hash, signature string) bool {
	p, err := delegation.ParsePrincipal(who)
	raw, rawErr := base64.StdEncoding.Strict().DecodeString(signature)
	return err == nil && rawErr == nil && base64.StdEncoding.EncodeToString(raw) == signature && p.Verifies([]byte(tag+hash), raw)
}

// Faults of entries and remarks.
var (
	errRule    = errors.New("meeting: against its rules")
	errSigned  = errors.New("meeting: a signature that does not fit")
	errChain   = errors.New("meeting: the convener left something out, or told others something else")
	errFlooded = errors.New("meeting: the member said too much")
)

// member is what the minutes know of one who may join.
type member struct {
	in, out bool
	said    int
	bytes   int
	seen    int // index of the last entry that it named
}

// terms are a proposal.
type terms struct {
	agreement talk.Agreement
	answered  map[string]bool // who accepted or rejected it
	rejected  bool
}

// Minutes are a meeting as one member has it.
type Minutes struct {
	convener string
	opening  Opening
	until    int64
	at       int64
	hashes   []string
	index    map[string]int
	members  map[string]*member
	open     map[string]*terms
	unheard  int // own remarks that are no entries yet
	closed   bool
}

// newMinutes returns the minutes of a meeting whose convener is proven.
func newMinutes(convener string) *Minutes {
	return &Minutes{convener: convener, index: map[string]int{}, members: map[string]*member{}, open: map[string]*terms{}}
}

// ID is the hash of the first entry, by which members know the meeting.
func (m *Minutes) ID() string {
	if len(m.hashes) == 0 {
		return ""
	}
	return m.hashes[0]
}

// Opening returns the rules.
func (m *Minutes) Opening() Opening { return m.opening }

// Len is the number of entries.
func (m *Minutes) Len() int { return len(m.hashes) }

// Head is the hash of the last entry.
func (m *Minutes) Head() string {
	if len(m.hashes) == 0 {
		return ""
	}
	return m.hashes[len(m.hashes)-1]
}

// Closed reports whether the meeting is over.
func (m *Minutes) Closed() bool { return m.closed }

// Until is when the meeting is over, in Unix ms.
func (m *Minutes) Until() int64 { return m.until }

// Waits reports whether an own remark is not an entry yet.
func (m *Minutes) Waits() bool { return m.unheard > 0 }

// Out reports whether somebody has left or was removed.
func (m *Minutes) Out(who string) bool { return m.members[who] != nil && m.members[who].out }

// Terms returns a proposal by its hash, or by how that begins if no other one begins so.
func (m *Minutes) Terms(hash string) (out talk.Agreement, ok bool) {
	for whole, t := range m.open {
		if len(hash) >= 8 && len(whole) >= len(hash) && whole[:len(hash)] == hash {
			if ok {
				return talk.Agreement{}, false
			}
			out, ok = t.agreement, true
		}
	}
	return out, ok
}

// Say makes a remark of the owner of the key: performative, protocol, content and in-reply-to of
// the message are given. An error means that it must not be said now.
func (m *Minutes) Say(key delegation.Signer, x anex.Message) ([]byte, error) {
	self := key.Principal().String()
	n := 1 + m.unheard
	if who := m.members[self]; who != nil {
		n += who.said
	}
	x.Sender, x.Receiver, x.Conversation, x.ReplyWith = self, everybody, m.ID(), strconv.Itoa(n)
	spelled, err := anex.Encode(x)
	if err != nil {
		return nil, err
	}
	raw, err := canon.JSON(spelled, MaxFrame)
	if err != nil {
		return nil, err
	}
	s := remark{Message: raw, Seen: m.Head()}
	hash, err := s.hash()
	if err != nil {
		return nil, err
	}
	s.Signature = sign(key, saidTag, hash)
	if _, err := m.look(s, m.unheard); err != nil {
		return nil, err
	}
	out, _, err := canonical(s)
	if err == nil {
		_, err = read[remark](out)
	}
	if err != nil {
		return nil, err
	}
	m.unheard++
	return out, nil
}

// Order makes an entry of a remark that the proven member from sent to the convener, and adds
// it. An error is the fault of the member.
func (m *Minutes) Order(key delegation.Signer, from string, said []byte, at int64) (raw []byte, h Noted, err error) {
	s, err := read[remark](said)
	if err != nil {
		return nil, h, fmt.Errorf("%w: %w", errRule, err)
	}
	x, err := anex.Parse(s.Message)
	if err == nil && x.Sender != from {
		err = fmt.Errorf("%w: a remark of %.80q", errRule, x.Sender)
	}
	if err != nil {
		return nil, h, err
	}
	e := entry{At: max(at, m.at), Index: len(m.hashes), Prev: m.Head(), Said: s}
	hash, err := e.hash()
	if err != nil {
		return nil, h, err
	}
	e.Signature = sign(key, entryTag, hash)
	if raw, _, err = canonical(e); err != nil {
		return nil, h, err
	}
	h, err = m.Add(raw, e.At, key.Principal().String())
	return raw, h, err
}

// Add takes the next entry at a time, Unix ms, for a member. An error is the fault of the convener,
// and changes nothing.
func (m *Minutes) Add(raw []byte, now int64, self string) (h Noted, err error) {
	e, err := read[entry](raw)
	if err != nil {
		return h, fmt.Errorf("%w: %w", errRule, err)
	}
	hash, err := e.hash()
	if err != nil {
		return h, err
	}
	switch {
	case m.closed:
		return h, fmt.Errorf("%w: the meeting is over", errRule)
	case e.Index != len(m.hashes) || e.Prev != m.Head():
		return h, fmt.Errorf("%w: entry %d follows %.8q, and entry %d follows %.8q here", errChain, e.Index, e.Prev, len(m.hashes), m.Head())
	case !verify(m.convener, entryTag, hash, e.Signature):
		return h, fmt.Errorf("%w: that of the convener, on entry %d", errSigned, e.Index)
	case e.At < m.at || e.At > now+slack.Milliseconds() || len(m.hashes) > 0 && e.At > m.until+slack.Milliseconds():
		return h, fmt.Errorf("%w: entry %d is of another time", errRule, e.Index)
	}
	d, err := m.look(e.Said, 0)
	if err != nil {
		return h, err
	}
	d.commit()
	m.at, d.heard.Index, d.heard.At = e.At, e.Index, e.At
	m.index[hash] = len(m.hashes)
	m.hashes = append(m.hashes, hash)
	d.heard.Message.Conversation = m.ID() // the opening cannot say its own hash
	if d.heard.From == self && m.unheard > 0 {
		m.unheard--
	}
	return d.heard, nil
}

// Verify reads minutes from the beginning, as somebody who was not there. It returns what was
// noted. What the convener signed in another file, and not here, no single file can show (Fork).
func Verify(entries [][]byte, now int64) (m *Minutes, heard []Noted, err error) {
	if len(entries) == 0 {
		return nil, nil, fmt.Errorf("%w: they are empty", errRule)
	}
	first, err := read[entry](entries[0])
	if err != nil {
		return nil, nil, fmt.Errorf("%w: entry 0: %w", errRule, err)
	}
	x, err := anex.Parse(first.Said.Message)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: entry 0: %w", errRule, err)
	}
	m = newMinutes(x.Sender)
	for i, raw := range entries {
		h, err := m.Add(raw, now, "")
		if err != nil {
			return nil, nil, fmt.Errorf("entry %d: %w", i, err)
		}
		heard = append(heard, h)
	}
	return m, heard, nil
}

// Fork finds the first entry that the convener signed in two ways: one in the minutes of one
// member, another in those of a second member. It is -1 if one continues the other, or is the same.
func Fork(a, b *Minutes) int {
	for i := range min(len(a.hashes), len(b.hashes)) {
		if a.hashes[i] != b.hashes[i] {
			return i
		}
	}
	return -1
}

// Convener is the agent through which the members speak.
func (m *Minutes) Convener() string { return m.convener }
