package crank

import (
	"context"
	"encoding/binary"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/deeds"
	"ojud/voting"
)

// kind is one kind of work. To add one, write a row of kinds.
type kind struct {
	name string
	// prompt: no party would do it, so it need not wait for one.
	prompt bool
	// heard returns the account that an event announces work on, if it does.
	heard func(c *Crank, e program.Event) (onchain.Address, mark, bool)
	// lists find accounts of which nothing was heard. found reads the bytes that they show, and may
	// name another kind; false: time decides nothing there.
	lists []list
	found func(c *Crank, shown []byte) (mark, bool)
	// plan says what is to be done on an account that the chain shows, and when it may be. False:
	// there is nothing, whatever the time.
	plan func(ctx context.Context, c *Crank, a *ledger.Account) (duty, bool, error)
}

// duty is work that was found on the chain.
type duty struct {
	at    int64           // the program permits it from then on, or it is to be looked at again
	until int64           // before then something has to be looked for; 0: time does not press
	to    onchain.Address // who gets the lamports, if that is one wallet
	act   onchain.Instruction
	along func(context.Context, []program.Event) ([]onchain.Instruction, error) // see ledger.SubmitOptions
	// rent is what the sender pays, and gets back in the end.
	rent uint64
	// more: when this is done, the account is looked at again.
	more bool
}

// list names accounts of one type and status, and which of their bytes to show.
type list struct {
	account        string
	status         uint8
	offset, length int
}

// kinds are all kinds of work.
func kinds() []*kind {
	const _ = uint(11 - program.Undecided) // a later status may have a time, or be an end
	return []*kind{
		{
			name: "expire", heard: heardTask, plan: planExpire, found: foundOpen,
			lists: lists("Task", taskEscrow, taskDeadline+8-taskEscrow,
				uint8(program.Created), uint8(program.Claimed), uint8(program.InProgress), uint8(program.Verification), uint8(program.Disputed)),
		},
		{
			name: "engine", heard: heardWaiting, plan: planEngine, found: foundWaiting,
			lists: lists("Task", taskDeadline, 8, uint8(program.Judiciary)),
		},
		{
			name: "close_task", heard: heardEnd, plan: planCloseTask, found: foundOver,
			lists: lists("Task", taskFinished, 8,
				uint8(program.Complete), uint8(program.Cancelled), uint8(program.Expired), uint8(program.Undecided)),
		},
		{
			name: "close_case", heard: heardVerdict, plan: planCloseCase, found: foundCase,
			lists: lists("Case", caseSettled, caseApplied+1-caseSettled, uint8(voting.Decided), uint8(voting.EndedUndecided)),
		},
		{
			name: "finish_case", prompt: true, heard: heardAppealable, plan: planFinish, found: foundAppealable,
			lists: lists("Case", caseAppealBy, 8, uint8(voting.Appealable)),
		},
		season: {name: "begin_season", prompt: true, heard: heardJudge, plan: planSeason, found: foundSeason, lists: lists("Roster", rosterSeason, 8, 0)},
		leaf:   {name: "apply_leaf", heard: heardLeaf, plan: planLeaf}, // close_case lists its accounts, too
		{name: "close_batch", heard: heardBatch, plan: planBatch, found: foundBatch, lists: lists("Batch", batchDeposit, batchOpenBy+8-batchDeposit, 0)},
	}
}

// season and leaf are the places of begin_season and apply_leaf among the kinds.
const (
	season = 5
	leaf   = 6
)

// Offsets in a Task, a Case, a Batch and the Roster (protocol, section 4).
const (
	taskEscrow   = 304
	taskClaimBy  = 336
	taskDeadline = 344
	taskFinished = 408
	caseSettled  = 168
	caseGolden   = 242
	caseApplied  = 243
	batchDeposit = 88
	batchOpenBy  = 120
	caseAppealBy = 272
	rosterSeason = 48
)

func lists(account string, offset, length int, statuses ...uint8) (all []list) {
	for _, s := range statuses {
		all = append(all, list{account, s, offset, length})
	}
	return all
}

// heardTask notes when the time of a task is over. The event of a task that is on the market does
// not say when: the task is looked at.
func heardTask(_ *Crank, e program.Event) (onchain.Address, mark, bool) {
	t, ok := e.(*program.TaskMoved)
	if !ok || t.To.Over() || t.To == program.Judiciary {
		return onchain.Address{}, mark{}, false
	}
	m := mark{at: t.Deadline, worth: t.Amount}
	if t.Deadline == 0 {
		m.at = t.At
	}
	return t.Task, m, true
}

func heardEnd(c *Crank, e program.Event) (onchain.Address, mark, bool) {
	t, ok := e.(*program.TaskMoved)
	if !ok || !t.To.Over() {
		return onchain.Address{}, mark{}, false
	}
	return t.Task, mark{at: c.kept(t.At), worth: rent(program.TaskSize)}, true
}

func heardVerdict(c *Crank, e program.Event) (onchain.Address, mark, bool) {
	if l, ok := e.(*program.LeafApplied); ok {
		return c.d.Chain.Program().Case(l.Task), mark{at: c.kept(l.At), worth: rent(uint64(program.CaseSize(1)))}, true
	}
	t, ok := e.(*program.TaskMoved)
	if !ok || !t.To.Over() || t.From != program.Judiciary {
		return onchain.Address{}, mark{}, false
	}
	return c.d.Chain.Program().Case(t.Task), mark{at: c.kept(t.At), worth: rent(uint64(program.CaseSize(1)))}, true
}

func heardAppealable(c *Crank, e program.Event) (onchain.Address, mark, bool) {
	v, ok := e.(*program.Appealable)
	if !ok {
		return onchain.Address{}, mark{}, false
	}
	return c.d.Chain.Program().Case(v.Task), mark{at: v.AppealBy, worth: appealWorth}, true
}

// foundAppealable reads until when a case may be appealed.
func foundAppealable(_ *Crank, shown []byte) (mark, bool) {
	return mark{at: int64(binary.LittleEndian.Uint64(shown)), worth: appealWorth}, true
}

// appealWorth is the least that a verdict moves when it becomes final: two bonds of the smallest
// court. The event does not say how much, and the work is not skipped for want of worth.
const appealWorth = 70_000_000

// planFinish makes a verdict final that nobody appealed in time.
func planFinish(ctx context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	const _ = uint(6 - voting.Statuses) // does time end a seventh status?
	k, err := program.DecodeCase(a.Data)
	if err != nil || k.Status != voting.Appealable {
		return duty{}, false, err
	}
	all, _, err := c.d.Chain.Accounts(ctx, k.Task)
	if err != nil {
		return duty{}, false, err
	}
	t, err := program.DecodeTask(all[0].Data)
	if err != nil {
		return duty{}, false, err
	}
	act := c.d.Chain.Program().FinishCase(k.Task, t.Creator, t.Worker, onchain.Address{})
	return duty{at: k.AppealBy, act: act, along: deeds.Claims(c.d.Chain, k.Task)}, true, nil
}

// foundOpen reads escrow to deadline of a Task.
func foundOpen(_ *Crank, shown []byte) (mark, bool) {
	u64 := func(offset int) uint64 { return binary.LittleEndian.Uint64(shown[offset-taskEscrow:]) }
	m := mark{at: int64(u64(taskDeadline)), worth: u64(taskEscrow)}
	if m.at == 0 {
		m.at = int64(u64(taskClaimBy))
	}
	return m, m.at != 0
}

// foundOver reads the time at which a task or case ended. A case has more rent than this.
func foundOver(c *Crank, shown []byte) (mark, bool) {
	return mark{at: c.kept(int64(binary.LittleEndian.Uint64(shown))), worth: rent(program.TaskSize)}, true
}

// foundCase reads when a case ended, and whether it waits for its batch.
func foundCase(c *Crank, shown []byte) (mark, bool) {
	m, ok := foundOver(c, shown)
	if waitsForBatch(voting.Choice(shown[caseGolden-caseSettled]), shown[caseApplied-caseSettled]) {
		m.of, m.at = c.kinds[leaf], int64(binary.LittleEndian.Uint64(shown))
	}
	return m, ok
}

// rent returns the lamports that an account of so many bytes has at least, at the rent of today.
func rent(size uint64) uint64 { return (size + 128) * 6960 }

// kept returns until when something that ended then is kept for its readers. A time that makes no
// sense is left as it is.
func (c *Crank) kept(ended int64) int64 {
	return max(ended, ended+int64(c.cfg.Keep.Seconds()))
}

func planExpire(_ context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	t, err := program.DecodeTask(a.Data)
	if err != nil {
		return duty{}, false, err
	}
	d := duty{at: t.Deadline, act: c.d.Chain.Program().Expire(a.Address, t.Creator, t.Worker)}
	switch t.Status {
	case program.Created:
		d.at, d.to = t.ClaimBy, t.Creator
	case program.Claimed, program.InProgress, program.Disputed:
		d.to = t.Creator
	case program.Verification:
		d.to = t.Worker
	default:
		return duty{}, false, nil
	}
	return d, d.at != 0, nil
}

func planCloseTask(ctx context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	t, err := program.DecodeTask(a.Data)
	if err != nil || !t.Status.Over() {
		return duty{}, false, err
	}
	p := c.d.Chain.Program()
	pledge, _, err := c.d.Chain.Accounts(ctx, program.PledgeAt(p, a.Address))
	if err != nil {
		return duty{}, false, err
	}
	if pledge[0] != nil && pledge[0].Owner == p.ID() { // it is closed when its pledge is paid
		return planPledge(ctx, c, a.Address, t, pledge[0].Data)
	}
	rules, err := c.d.Rules(ctx, t.Rules)
	if err != nil {
		return duty{}, false, err
	}
	at := max(c.kept(t.FinishedAt), t.FinishedAt+int64(rules.EvidenceSeconds))
	return duty{at: at, to: t.Funder(), act: c.d.Chain.Program().CloseTask(a.Address, t.Funder(), t.Rules)}, true, nil
}

func planCloseCase(_ context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	k, err := program.DecodeCase(a.Data)
	if err != nil || !k.Status.Over() {
		return duty{}, false, err
	}
	at := max(c.kept(k.SettledAt), k.SettledAt+int64(k.Rules.EvidenceSeconds))
	return duty{at: at, to: k.Payer, act: c.d.Chain.Program().CloseCase(k.Task, k.Payer, k.Appellant)}, true, nil
}
