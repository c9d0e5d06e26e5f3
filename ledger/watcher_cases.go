package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
)

// caseReader reads the cases: a case with news immediately, live cases at every poll, and finished
// cases at every sweep. The scanner gives it the list of all cases.
type caseReader struct {
	*Watcher
	kick  chan struct{}
	heads chan []caseHead // lists of all cases
	state rpc.Condition

	mu    sync.Mutex
	dirty map[onchain.Address]uint64 // tasks to look at, and the slot that they changed in
	all   bool                       // look at every case that is followed
	stake bool                       // look at the Roster
	lost  bool                       // dirty had no room for a case with news: list the cases
	hints map[onchain.Address]bool   // tasks that peers named

	followed map[onchain.Address]*follow // by task
	retired  map[onchain.Address]bool    // over for so long that nothing can come of them
	known    looks.KnownRoster           // the Roster
	roster   time.Time                   // when the Roster was last due
	swept    time.Time                   // when cases that are over were polled last
	heeded   time.Time                   // when a hint caused a request last
	full     bool                        // Watch.MaxCases was reached: the operator was told
	skewed   bool                        // the operator was told
}

// follow is a case that is looked at.
type follow struct {
	address onchain.Address // of the Case account
	hash    [sha256.Size]byte
	slot    uint64
	over    bool
	until   int64 // chain seconds after which nothing can come of it; 0: live
	own     bool  // one of the watcher's judges has a seat in it
}

func newCaseReader(w *Watcher) *caseReader {
	return &caseReader{
		Watcher: w, kick: make(chan struct{}, 1), heads: make(chan []caseHead), state: rpc.Condition{Log: w.log, What: "reading the cases"},
		dirty: make(map[onchain.Address]uint64), hints: make(map[onchain.Address]bool), followed: make(map[onchain.Address]*follow),
		retired: make(map[onchain.Address]bool),
	}
}

// touch has a case looked at, in that slot or a later one.
func (l *caseReader) touch(task onchain.Address, slot uint64) {
	l.mu.Lock()
	if _, known := l.dirty[task]; known || len(l.dirty) < l.cfg.MaxCases {
		l.dirty[task] = max(l.dirty[task], slot)
	} else {
		l.all, l.lost = true, true
	}
	l.mu.Unlock()
	l.wake()
}

// hintEvery is the least time between two requests for hints.
const hintEvery = 5 * time.Second

// hint has a case looked at with the next request for hints, which reads at most maxLooks of them.
func (l *caseReader) hint(task onchain.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.hints) < maxLooks {
		l.hints[task] = true
	}
}

// heed looks at the cases that peers named. If the read fails, peers will name them again.
func (l *caseReader) heed(ctx context.Context) error {
	if time.Since(l.heeded) < hintEvery {
		return nil
	}
	var unknown []onchain.Address
	l.mu.Lock()
	for task := range l.hints {
		if l.followed[task] == nil && !l.retired[task] {
			unknown = append(unknown, task)
		}
	}
	clear(l.hints)
	l.mu.Unlock()
	if len(unknown) > 0 {
		l.heeded = time.Now()
		l.pace.Wake()
	}
	return l.look(ctx, unknown, 0)
}

func (l *caseReader) wake() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// hear takes a hint: it looks at the cases that a transaction changed.
func (l *caseReader) hear(o Occurred) {
	l.pace.Wake()
	for _, e := range o.Events {
		l.known.Hear(e)
		looks.Touched(e, func(task onchain.Address) { l.touch(task, o.Slot) })
		switch e.(type) {
		case *program.Closed:
			l.mark(&l.all)
		case *program.StakeMoved, *program.JudgeExiting, *program.RewardClaimed, *program.Slashed:
			l.mark(&l.stake)
		}
	}
	if !o.Complete {
		l.mark(&l.all)
		l.mark(&l.stake)
	}
}

// mark sets all or stake, and has it done.
func (l *caseReader) mark(what *bool) {
	l.mu.Lock()
	*what = true
	l.mu.Unlock()
	l.wake()
}

// run looks until ctx ends.
func (l *caseReader) run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		err := error(nil)
		select {
		case <-ctx.Done():
			return nil
		case <-l.kick:
			err = l.attend(ctx)
		case heads := <-l.heads:
			err = l.admit(ctx, heads)
		case <-due.C:
			err = l.poll(ctx)
			due.Reset(l.cfg.Poll)
		}
		if errors.Is(err, ErrOtherChain) {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		if recovered := l.state.Set(err); recovered {
			l.scanner.wake()
		}
	}
}

// attend reads the cases with news. If a read fails, the next poll tries again.
func (l *caseReader) attend(ctx context.Context) error {
	l.mu.Lock()
	tasks := make([]onchain.Address, 0, len(l.dirty))
	least := uint64(0)
	for task, slot := range l.dirty {
		tasks, least = append(tasks, task), max(least, slot)
	}
	all, stake := l.all, l.stake
	l.all, l.stake = false, false
	clear(l.dirty)
	l.mu.Unlock()
	err := l.look(ctx, tasks, least)
	if err == nil && stake {
		err = l.lookSome(ctx, nil, 0)
	}
	if err == nil && all {
		err = l.compare(ctx, true)
	}
	if err != nil {
		l.mu.Lock()
		for _, task := range tasks {
			l.dirty[task] = max(l.dirty[task], least)
		}
		l.all, l.stake = l.all || all, l.stake || stake
		l.mu.Unlock()
	}
	return err
}

// poll does the work of every Watch.Poll.
func (l *caseReader) poll(ctx context.Context) error {
	if l.missed() && l.scanner.state.Text() == "" {
		l.scanner.wake()
	}
	if time.Since(l.roster) >= l.cfg.Rescan {
		l.roster = time.Now()
		l.mark(&l.stake)
	}
	heard := errors.Join(l.attend(ctx), l.heed(ctx))
	over := time.Since(l.swept) >= l.cfg.Sweep
	compared := l.compare(ctx, over)
	if over && compared == nil {
		l.swept = time.Now()
	}
	l.warnOfSkew()
	return errors.Join(heard, compared)
}

// missed reports, once, whether dirty had no room for a case with news.
func (l *caseReader) missed() (lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost, l.lost = l.lost, false
	return lost
}

// admit looks at all listed cases that are not followed, because this node's judges may have seats
// in them.
func (l *caseReader) admit(ctx context.Context, heads []caseHead) error {
	var unknown []onchain.Address
	there := make(map[onchain.Address]bool, len(heads))
	for _, h := range heads {
		there[h.task] = true
		if f := l.followed[h.task]; f == nil && (!l.retired[h.task] || !h.status.Over()) {
			unknown = append(unknown, h.task)
		}
	}
	err := l.look(ctx, unknown, 0)
	if err != nil { // the next poll tries again
		for _, task := range unknown {
			l.touch(task, 0)
		}
	}
	for task := range l.retired {
		if !there[task] {
			delete(l.retired, task)
		}
	}
	return err
}

// compare reads the clock and the cases that are followed, and looks at those that changed.
func (l *caseReader) compare(ctx context.Context, over bool) error {
	var tasks []onchain.Address
	for task, f := range l.followed {
		if !f.over || over {
			tasks = append(tasks, task)
		}
		if !f.over {
			l.pace.Wake()
		}
	}
	if len(tasks) == 0 {
		return l.time(ctx)
	}
	var faults []error
	for part := range slices.Chunk(tasks, maxAccounts-1) {
		faults = append(faults, l.compareSome(ctx, part))
	}
	return errors.Join(faults...)
}

func (l *caseReader) compareSome(ctx context.Context, tasks []onchain.Address) error {
	addresses := []onchain.Address{onchain.ClockAccount()}
	for _, task := range tasks {
		addresses = append(addresses, l.followed[task].address)
	}
	all, slot, err := l.client.Accounts(ctx, addresses...)
	if err != nil {
		return err
	}
	m, err := l.client.tell(all[0], slot)
	if err != nil {
		return err
	}
	var changed []onchain.Address
	for i, task := range tasks {
		if a := all[1+i]; a == nil || sha256.Sum256(a.Data) != l.followed[task].hash {
			changed = append(changed, task)
		}
	}
	l.box.PutTime(m)
	return l.look(ctx, changed, slot)
}

// quietClock is how often the clock is read while nothing happens.
const quietClock = 25 * time.Second

// time reads the clock alone, unless it is fresh enough: the websocket brings it with every slot,
// and while nothing happens it decides nothing.
func (l *caseReader) time(ctx context.Context) error {
	fresh := l.cfg.Poll
	switch {
	case l.up.Load():
	case l.stream.state.Text() != "": // the node does not answer
		fresh = 0
	default:
		fresh = l.pace.Pick(0, quietClock)
	}
	if m, _ := l.client.clock.Last(); l.client.clock.Fresh(fresh) {
		l.client.clock.Rest()
		l.box.PutTime(m)
		return nil
	}
	m, err := l.client.Now(ctx)
	if err == nil {
		l.box.PutTime(m)
	}
	return err
}

// warnOfSkew tells the operator when this machine's clock is off, once until it is right again.
func (l *caseReader) warnOfSkew() {
	if _, ok := l.client.clock.Last(); !ok {
		return
	}
	skew := l.client.clock.Skew()
	far := skew.Abs() > l.client.cfg.SkewWarning
	if far && !l.skewed {
		l.log.Warn("this machine's clock differs from the chain's; all deadlines are the chain's", "skew", skew.Round(time.Second))
	}
	l.skewed = far
}
