package keep

import (
	"encoding/json"

	"github.com/dgraph-io/badger/v4"

	"ojud/agent/audit"
	"ojud/agent/delegation/keeper"
)

// Logbook is the audit log of the executor.
type Logbook interface {
	// Append writes a line. When it returns nil, the line is on the disk.
	Append(act audit.AgentInvoke) error
	// Complete writes a line that a crash may have cut off, unless the log has it.
	Complete(act audit.AgentInvoke) error
}

// linesKey has the lines of the last decision. They are stored with it, so that a crash before they
// are in the log loses none.
const linesKey = "lines"

// Complete writes the lines that a crash kept from the log. Whoever opens a Keep calls it when the
// log can be written; otherwise the next decision does.
func (k *Keep) Complete() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.write(k.log.Complete)
}

// write writes the lines that are due.
func (k *Keep) write(into func(audit.AgentInvoke) error) error {
	for len(k.due) > 0 {
		if err := into(k.due[0]); err != nil {
			return err
		}
		k.due = k.due[1:]
	}
	return nil
}

// step takes an event, makes the writes durable together with the lines of the log, writes these,
// and returns what the state decided.
func (k *Keep) step(e keeper.Occurrence, lines func([]Decision) []audit.AgentInvoke) ([]Decision, error) {
	if k.broken != nil {
		return nil, k.broken
	}
	if err := k.write(k.log.Complete); err != nil {
		return nil, err
	}
	txn := k.db.NewTransaction(true)
	defer txn.Discard()
	var out []Decision
	for _, effect := range k.state.Step(e) {
		var err error
		switch f := effect.(type) {
		case keeper.Put:
			err = txn.Set([]byte(f.Key), f.Value)
		case keeper.Delete:
			err = txn.Delete([]byte(f.Key))
		case keeper.Admit:
			out = append(out, Decision{Call: f.Call, State: Admitted})
		case keeper.Wait:
			out = append(out, Decision{Call: f.Call, State: Waiting, Domains: f.Domains, Until: f.Until})
		case keeper.Stop:
			out = append(out, Decision{Call: f.Call, State: Stopped, Why: f.Why})
		case keeper.Refuse:
			out = append(out, Decision{Call: f.Call, State: Refused, Why: f.Why})
		}
		if err != nil {
			return nil, k.fail(err)
		}
	}
	k.due = lines(out)
	err := k.store(txn)
	if err == nil {
		err = txn.Commit()
	}
	if err != nil {
		return nil, k.fail(err)
	}
	return out, k.write(k.log.Append)
}

// store puts the lines that are due into a transaction, in place of those before.
func (k *Keep) store(txn *badger.Txn) error {
	before := k.kept
	if k.kept = len(k.due) > 0; !k.kept {
		if before {
			return txn.Delete([]byte(linesKey))
		}
		return nil
	}
	raw, err := json.Marshal(k.due)
	if err != nil {
		return err
	}
	return txn.Set([]byte(linesKey), raw)
}

// told makes the lines of decisions about calls.
func told(about func(call string) audit.AgentInvoke) func([]Decision) []audit.AgentInvoke {
	return func(all []Decision) (lines []audit.AgentInvoke) {
		for _, v := range all {
			act := about(v.Call)
			act.Call, act.Result, act.Reason = v.Call, string(v.State), ""
			if v.Why != nil {
				act.Reason = v.Why.Error()
			}
			lines = append(lines, act)
		}
		return lines
	}
}
