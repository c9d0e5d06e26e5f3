package status

import (
	"fmt"
	"strings"
	"time"

	"ojud/ledger/law"
)

// RulesState says which version of the court's rules is in force. All is zero before the first
// check.
type RulesState struct {
	InForce   uint32 `json:"in_force"`
	Announced uint32 `json:"announced,omitempty"` // 0: none
	From      int64  `json:"from,omitempty"`      // when the announced version takes effect, Unix seconds
	Paused    bool   `json:"paused,omitempty"`    // no new tasks, claims and judges
}

// RulesOf returns the state of the rules.
func RulesOf(r *law.Rules) RulesState {
	out := RulesState{InForce: r.Now.Number, Paused: r.Config.Paused != 0}
	if r.Next != nil {
		out.Announced, out.From = r.Next.Number, r.Next.From
	}
	return out
}

// lawful says which rules are in force. It is a notice if others are announced: what changes for
// judges, from when, and how to leave before.
func lawful(r *law.Rules, err error) Finding {
	if err != nil {
		return bad("rules", "", err)
	}
	f := Finding{Name: "rules", OK: true, Detail: fmt.Sprintf("version %d is in force", r.Now.Number)}
	if r.Config.Paused != 0 {
		f.Notice = true
		f.Detail += "; the court is paused: no new tasks, claims and judges, and all else goes on"
	}
	if r.Next == nil {
		return f
	}
	var changes []string
	parties := 0
	for _, c := range law.Changes(r.Now.Params, r.Next.Params) {
		if c.ForJudges() {
			changes = append(changes, c.String())
		} else {
			parties++
		}
	}
	what := strings.Join(changes, "; ")
	if what == "" {
		what = "nothing changes for judges"
	} else {
		what = "for judges, " + what
	}
	if parties > 0 {
		what += fmt.Sprintf("; for creators and workers, %d of the values", parties)
	}
	from := time.Unix(r.Next.From, 0).UTC().Format("2006-01-02 15:04 UTC")
	f.Notice = true
	f.Detail += fmt.Sprintf("; version %d is announced, and tasks that are created from %s on are under it: %s", r.Next.Number, from, what)
	f.Next = "a judge that disagrees begins to leave before that time: ojud judge exit; all changes: ojud court rules"
	return f
}
