package status

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/webhook"
)

// checkLeaf runs the generator of a leaf again that a proctor opened in a case of this judge. If
// the proctor lies, the owner should know before the answer moves money: anybody can end the batch
// until then.
func (o *Outcomes) checkLeaf(ctx context.Context, t ledger.Occurred, place int) {
	e, ok := t.Events[place].(*program.LeafOpened)
	if !ok || e.Void != 0 || !o.satIn(e.Task) {
		return
	}
	why, err := o.d.Lie(ctx, e)
	switch {
	case err != nil:
		o.d.Log.Warn(fmt.Sprintf("The answer of golden case %s was opened, and this node cannot check it; to try again: ojud court proctor check %s", e.Task, e.Task), "error", err)
	case why != "":
		text := fmt.Sprintf("Batch %d opened a false answer in case %s, in which this judge sat: %s. "+
			"To end the batch before money moves: ojud court proctor challenge %s", e.Batch, e.Task, why, e.Task)
		o.d.Log.Error(text)
		o.notify(t, place, webhook.LeafFalse, webhook.Details{Case: e.Task.String(), Text: text})
	}
}
