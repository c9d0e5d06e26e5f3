package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// perCase is how many accounts a look at one case takes; the clock and the Roster are read once.
const perCase = 2

// maxLooks is how many cases one request reads.
const maxLooks = (maxAccounts - 2) / perCase

// look reads cases with their accounts, all of one slot that is at least least, and puts the looks
// into the mailbox.
func (l *caseReader) look(ctx context.Context, tasks []onchain.Address, least uint64) error {
	var faults []error
	for part := range slices.Chunk(tasks, maxLooks) {
		faults = append(faults, l.lookSome(ctx, part, least))
	}
	l.metrics.followed.Set(float64(len(l.followed)))
	return errors.Join(faults...)
}

// lookSome looks at so many that one request shows them; without tasks at the Roster alone.
func (l *caseReader) lookSome(ctx context.Context, tasks []onchain.Address, least uint64) error {
	p := l.client.program
	addresses := []onchain.Address{onchain.ClockAccount(), p.Roster()}
	for _, task := range tasks {
		if f := l.followed[task]; f != nil {
			addresses = append(addresses, task, f.address)
		} else {
			addresses = append(addresses, task, p.Case(task)) // a search: not for nothing
		}
	}
	all, slot, err := accountsFrom(ctx, l.client, least, looks.Part(), addresses...)
	if err != nil {
		return err
	}
	var roster *program.Roster
	if all[1] != nil && all[1].Owner == p.ID() {
		roster = l.known.Still(all[1].Data)
	}
	if roster == nil && all[1] != nil && looks.Cut(all[1].Data) {
		for i, a := range all[2:] { // what peers named may be anything, of any size
			if a != nil && a.Owner != p.ID() {
				addresses[2+i] = onchain.ClockAccount()
			}
		}
		if all, slot, err = accountsFrom(ctx, l.client, slot, nil, addresses...); err != nil {
			return err
		}
	}
	m, err := l.client.tell(all[0], slot)
	if err != nil {
		return err
	}
	if all[1] == nil && len(tasks) == 0 {
		l.box.PutTime(m) // the court is not open yet
		return nil
	}
	if all[1] == nil {
		return fmt.Errorf("%w: there is no Roster account at %s", ErrNoConfig, p.Roster())
	}
	if roster == nil {
		if roster, err = decodeAs(l.client, all[1], program.DecodeRoster); err != nil {
			return err
		}
		l.known.Keep(all[1].Data, roster)
	}
	var faults []error // one account that makes no sense must not hide the others
	for i, task := range tasks {
		look := Look{Moment: Moment{Slot: slot, Unix: m.Unix}, ID: task, Roster: roster}
		faults = append(faults, l.adopt(look, all[2+perCase*i], all[3+perCase*i]))
	}
	if len(tasks) == 0 {
		shown, ok := l.box.PutRoster(Moment{Slot: slot, Unix: m.Unix}, roster, least > 0)
		if !ok { // the websocket has shown a newer slot: read once more
			return l.lookSome(ctx, nil, shown)
		}
	}
	l.box.PutTime(m)
	return errors.Join(faults...)
}

// adopt completes a look with the accounts of task and case, and gives it out if it is news.
func (l *caseReader) adopt(look Look, task, dispute *Account) (err error) {
	f := l.followed[look.ID]
	if f != nil && look.Slot < f.slot {
		return nil
	}
	if task != nil && task.Owner == l.client.program.ID() {
		if look.Task, err = decodeAs(l.client, task, program.DecodeTask); err != nil {
			return err
		}
	}
	if dispute == nil {
		if f != nil {
			delete(l.followed, look.ID)
			l.put(look, "gone")
		}
		return nil
	}
	if look.Case, err = decodeAs(l.client, dispute, program.DecodeCase); err != nil {
		return err
	}
	if look.Case.Task != look.ID {
		return fmt.Errorf("%w: what the node shows as case %s says that it is case %s", ErrAnswer, look.ID, look.Case.Task)
	}
	return l.keep(f, look, dispute)
}

// keep follows the case of a look as long as something can come of it.
func (l *caseReader) keep(f *follow, look Look, dispute *Account) error {
	until, hash := int64(0), sha256.Sum256(dispute.Data)
	if look.Case.Status.Over() {
		until = look.Case.SettledAt + int64(look.Case.Rules.EvidenceSeconds)
	}
	own := l.seated(look.Case)
	news := f == nil || f.hash != hash
	switch {
	case until != 0 && look.Unix > until:
		news = news && f != nil
		delete(l.followed, look.ID)
		l.retired[look.ID] = true
	case f == nil && !own && !l.room(look.ID, until != 0):
		return nil
	default:
		l.followed[look.ID] = &follow{
			address: dispute.Address, hash: hash, slot: look.Slot, over: until != 0, until: until, own: own,
		}
		delete(l.retired, look.ID)
	}
	if news {
		l.put(look, "case")
	}
	return nil
}

// seated reports whether one of the watcher's judges has a seat in the case.
func (l *caseReader) seated(c *program.Case) bool {
	return slices.ContainsFunc(c.Seats, func(s program.Seat) bool { return slices.Contains(l.judges, s.Judge) })
}

// room reports whether there is room for a case without a seat of the watcher's judges. A finished
// case gives way to a live one, and is not read again.
func (l *caseReader) room(task onchain.Address, over bool) bool {
	others, ended := 0, onchain.Address{}
	for id, f := range l.followed {
		if f.own {
			continue
		}
		if others++; f.over {
			ended = id
		}
	}
	switch {
	case others < l.cfg.MaxCases:
		return true
	case over:
		l.retired[task] = true
		return false
	case !ended.IsZero():
		delete(l.followed, ended)
		l.retired[ended] = true
		return true
	}
	if !l.full {
		l.log.Warn("there are more cases without a seat of this node than watch.max_cases, some are not followed", "max_cases", l.cfg.MaxCases)
	}
	l.full = true
	return false
}

func (l *caseReader) put(look Look, of string) {
	l.metrics.looks.WithLabelValues(of).Inc()
	l.box.Put(look)
}
