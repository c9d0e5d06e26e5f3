package webhook

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// The kinds of events.
const (
	JudgeDrawn    = "judge.drawn"
	JudgeVoted    = "judge.voted"
	JudgeAbsent   = "judge.absent"
	JudgeSlashed  = "judge.slashed"
	JudgePaid     = "judge.paid"
	CaseAppealed  = "case.appealed"
	LeafFalse     = "leaf.false"
	sourceFailing = "source.failing"
	FundsLow      = "funds.low"
	modelDown     = "model.down"
	RulesNew      = "rules.announced"
	// ApprovalWaits is told by an agent host, and not by a judge's node.
	ApprovalWaits = "approval.waits"
	test          = "webhook.test"
)

// Kinds lists the kinds of events that can be chosen.
func Kinds() []string {
	return []string{
		JudgeDrawn, JudgeVoted, JudgeAbsent, JudgeSlashed, JudgePaid, CaseAppealed, LeafFalse, sourceFailing, FundsLow, modelDown, RulesNew,
	}
}

// Notification is what a receiver learns.
type Notification struct {
	// ID names the event: the same event always has the same. Empty: Tell makes one up.
	ID   string
	Kind string
	// At is when it happened. Zero: now.
	At      time.Time
	Details Details
}

// Details are the facts of an event. Those that do not belong to its kind are empty. Each is a
// value of the chain or of this node's settings; no text of a stranger is among them.
type Details struct {
	Court    string `json:"court,omitempty"` // Tell sets Court and Judge
	Judge    string `json:"judge,omitempty"`
	Case     string `json:"case,omitempty"`   // address of its task
	Round    uint8  `json:"round,omitempty"`  // from 1
	Seat     int    `json:"seat,omitempty"`   // from 1
	Seats    int    `json:"seats,omitempty"`  // of the panel
	Due      int64  `json:"due,omitempty"`    // Unix seconds of the chain
	Choice   string `json:"choice,omitempty"` // accept, reject or abstain
	Lamports uint64 `json:"lamports,omitempty,string"`
	Cause    string `json:"cause,omitempty"`   // of money
	Name     string `json:"name,omitempty"`    // of the source or the model
	Version  uint32 `json:"version,omitempty"` // of the rules
	From     int64  `json:"from,omitempty"`    // when they are in force, Unix seconds of the chain
	Text     string `json:"text"`              // a sentence for people
}

// maxText bounds the sentence, in bytes.
const maxText = 1024

// body returns the JSON that is posted.
func (n Notification) body() ([]byte, error) {
	d := n.Details
	d.Text = strings.ToValidUTF8(d.Text[:min(len(d.Text), maxText)], "")
	return json.Marshal(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      Details   `json:"data"`
	}{n.Kind, n.At.UTC(), d})
}

// IDOf names an event by what makes it the same event when it is read again.
func IDOf(what ...string) string {
	hash := sha256.Sum256([]byte(strings.Join(what, "\n")))
	return idPrefix + hex.EncodeToString(hash[:16])
}

const idPrefix = "msg_"

// newID makes up an ID.
func newID() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // it never fails
	return idPrefix + hex.EncodeToString(raw[:])
}
