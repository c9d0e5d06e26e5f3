package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// proofs is how many times in a row a node must not know an expired transaction.
const proofs = 2

// tracking is the state of an entry that was sent.
type tracking struct {
	*submission
	entry  transact.Entry
	next   time.Time // when to send again
	gaveUp bool
	over   height // the first final block seen that is past the entry's last; zero: none
	proofs int
	state  rpc.Condition
}

// track sends an entry and asks for its status until it landed or can no longer land. If the entry
// becomes useless, track tells the waiting caller, stops sending, and goes on watching.
func (f *submission) track(e transact.Entry) (transact.Outcome, error) {
	t := &tracking{submission: f, entry: e, state: rpc.Condition{Log: f.sender.log, What: "following transaction " + e.Signature.String()}}
	s := f.sender
	for {
		t.giveUp()
		if !t.gaveUp && !time.Now().Before(t.next) {
			if err := t.send(); err != nil {
				return transact.Outcome{}, err
			}
		}
		out, err := t.check(s.ctx)
		if errors.Is(err, ErrOtherChain) || errors.Is(err, errClosed) {
			return transact.Outcome{Signature: e.Signature}, err
		}
		t.state.Set(err)
		if err == nil && out.Class != 0 {
			return out, nil
		}
		if err := rpc.Wait(s.ctx, s.client.cfg.Send.Status); err != nil {
			return transact.Outcome{Signature: e.Signature}, err
		}
	}
}

// giveUp tells the waiting caller when the entry is useless.
func (t *tracking) giveUp() {
	if t.gaveUp || t.entry.Before == 0 || !t.sender.past(t.sender.ctx, t.entry.Before) {
		return
	}
	t.gaveUp = true
	t.tell(transact.Outcome{Class: transact.GaveUp, Signature: t.entry.Signature, Pending: true}, nil)
}

// send hands the entry to the RPC node. Its error decides nothing, because check asks for the
// status. Only ErrOtherChain is returned.
func (t *tracking) send() error {
	s := t.sender
	t.next = time.Now().Add(s.client.cfg.Send.Rebroadcast)
	s.metrics.sent.Inc()
	err := s.send(s.ctx, t.entry.Raw)
	if errors.Is(err, ErrOtherChain) {
		return err
	}
	if err != nil {
		s.log.Debug("a transaction was not taken, trying on", "purpose", string(t.purpose), "err", err)
	}
	return nil
}

// check asks for the status of the entry. A class of 0 means that it is not known yet.
func (t *tracking) check(ctx context.Context) (transact.Outcome, error) {
	s, e := t.sender, t.entry
	r := s.desk.ask(ctx, e.Signature)
	if r.err != nil {
		return transact.Outcome{}, r.err
	}
	out := transact.Outcome{Signature: e.Signature}
	switch finalized := e.Once || s.client.cfg.Commitment == "finalized"; {
	case r.status == nil:
		dead, err := t.dead(ctx, r.slot)
		if err == nil && dead {
			out.Class = transact.Expired
		}
		return out, err
	case r.status.reached(finalized):
		return t.landed(ctx, r.status)
	}
	t.over, t.proofs = height{}, 0
	return out, nil
}

// landed is the outcome of an entry that is in a block.
func (t *tracking) landed(ctx context.Context, st *status) (transact.Outcome, error) {
	out := transact.Outcome{Class: Landed, Signature: t.entry.Signature, Slot: st.slot}
	if !failed(st.failure) {
		return out, nil
	}
	tx, err := solana.TransactionFromBytes(t.entry.Raw)
	if err != nil {
		return out, err
	}
	var logs []string
	if landed, err := t.sender.client.transaction(ctx, t.entry.Signature); err == nil {
		logs = landed.logs // for people; without them the error is the same
	}
	out.Class = Rejected
	out.Rejection, err = rejection(t.sender.client.program, &tx.Message, st.failure, logs)
	return out, err
}

// dead reports whether the entry can no longer land, after a node that has reached slot did not
// know it. An entry is dead if a final block is past its last valid one. The nodes behind one
// address differ. So an answer counts only if its node has reached the slot of the final block, and
// several such answers are needed.
func (t *tracking) dead(ctx context.Context, slot uint64) (bool, error) {
	if t.over == (height{}) {
		h, err := t.sender.desk.final(ctx)
		if err == nil && h.block > t.entry.LastValid {
			t.over = h
		}
		return false, err
	}
	if slot >= t.over.slot {
		t.proofs++
	}
	return t.proofs >= proofs, nil
}
