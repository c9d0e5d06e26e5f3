package reputation

import "fmt"

// Role is what an agent does. Reputations of two roles have nothing to do with each other.
type Role string

// The roles.
const (
	Worker    Role = "worker"
	Evaluator Role = "evaluator"
)

// End is how a task ended for one agent, after every dispute.
type End string

// How a task ends for an agent.
const (
	Good      End = "good"       // paid in the dominant cluster, or aligned about all results
	Failed    End = "failed"     // outside the dominant cluster, or far from what others agree on
	LowEffort End = "low_effort" // detected
	Lost      End = "lost"       // slashed, or lost a dispute
)

// key is an agent in a role.
type key struct {
	agent string
	role  Role
}

// account is all that is known about an agent in a role.
type account struct {
	classes map[string]standing
	alarm   int   // rises with golden tasks that an evaluator did not tell
	frozen  int64 // until then it is not drawn
	restore int   // tasks that must succeed before its record counts again
}

// voucher is what one agent has put in for another.
type voucher struct {
	by    string
	stake uint64
	share int // basis points of its value
}

// Records are those of all agents.
type Records struct {
	terms    Constants
	near     map[string][]string // classes that are near to a class
	accounts map[key]*account
	vouchers map[key]voucher // for whom
	forfeits []Forfeit
}

// Forfeit is a stake that one who vouched for another has lost. It goes to the treasury.
type Forfeit struct {
	By    string `json:"by"`
	For   string `json:"for"`
	Stake uint64 `json:"stake,string"`
}

// Forfeits are all stakes that were lost by vouching.
func (b *Records) Forfeits() []Forfeit { return b.forfeits }

// New is a book without records. Near names the classes whose records count in part in a class.
func New(t Constants, near map[string][]string) *Records {
	return &Records{terms: t, near: near, accounts: map[key]*account{}, vouchers: map[key]voucher{}}
}

func (b *Records) account(k key) *account {
	a := b.accounts[k]
	if a == nil {
		a = &account{classes: map[string]standing{}}
		b.accounts[k] = a
	}
	return a
}

// change lets a record decay, and changes it.
func (b *Records) change(a *account, class string, at int64, change func(s *standing)) {
	s := a.classes[class].until(at, b.terms.Keep)
	change(&s)
	a.classes[class] = s
}

// Golden enters a golden task that an agent passed or not. It says whether an evaluator has
// stamped: whether it failed so many of its last golden tasks that one that looks at results hardly
// ever does. Then its reputation is frozen, its record is gone, and so is what others vouched with.
func (b *Records) Golden(agent string, role Role, class string, at int64, passed bool) (stamped bool) {
	k := key{agent, role}
	a := b.account(k)
	b.change(a, class, at, func(s *standing) { s.golden.add(one(passed), 1) })
	if passed {
		a.alarm = max(a.alarm-1, 0)
		a.restore = max(a.restore-1, 0)
		return false
	}
	a.alarm += b.terms.Step
	if role != Evaluator || a.alarm < b.terms.Alarm {
		return false
	}
	a.alarm, a.frozen, a.restore = 0, at+int64(b.terms.Freeze)*day, b.terms.Restore
	clear(a.classes)
	b.lose(k, at)
	return true
}

// Outcome enters how a task ended for an agent.
func (b *Records) Outcome(agent string, role Role, class string, at int64, end End) {
	k := key{agent, role}
	a := b.account(k)
	b.change(a, class, at, func(s *standing) { s.outcomes.add(one(end == Good), b.weight(end)) })
	switch end {
	case Good:
		a.restore = max(a.restore-1, 0)
	case LowEffort:
		a.restore = b.terms.Restore
	case Lost:
		b.lose(k, at)
	case Failed:
	}
}

// weight is how many outcomes an end counts as.
func (b *Records) weight(end End) int {
	switch end {
	case LowEffort:
		return b.terms.Low
	case Lost:
		return b.terms.Lost
	case Good, Failed:
	}
	return 1
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Value is the reputation of an agent, 0 to 10,000: how often it is drawn for each stake, and how
// much its evaluations weigh. It is 0 while it is frozen, and that of a newcomer until the tasks of
// its restoration are done. What it vouches for others with is taken from it and given to them.
func (b *Records) Value(agent string, role Role, class string, at int64) int {
	k := key{agent, role}
	own := b.own(k, class, at)
	if own == 0 {
		return 0
	}
	value := own - b.lent(k, own)
	if v, ok := b.vouchers[k]; ok {
		value += mulDivInt(b.own(key{v.by, role}, class, at), v.share)
	}
	return min(value, Whole)
}

// own is the reputation of an agent by itself.
func (b *Records) own(k key, class string, at int64) int {
	a := b.accounts[k]
	switch {
	case a == nil:
		return b.terms.Newcomer
	case at < a.frozen:
		return 0
	case a.restore > 0:
		return b.terms.Newcomer
	}
	s := a.classes[class].until(at, b.terms.Keep)
	for _, near := range b.near[class] {
		n := a.classes[near].until(at, b.terms.Keep)
		s.golden, s.outcomes = s.golden.plus(n.golden, b.terms.Near), s.outcomes.plus(n.outcomes, b.terms.Near)
	}
	return s.value(b.terms)
}

// lent is what an agent vouches with.
func (b *Records) lent(k key, own int) (sum int) {
	for of, v := range b.vouchers {
		if v.by == k.agent && of.role == k.role {
			sum += mulDivInt(own, v.share)
		}
	}
	return sum
}

func mulDivInt(value, bps int) int { return int(mulDiv(uint64(value), uint64(bps), Whole)) }

// Vouch lets an agent stand in for another with stake and a share of its reputation. Both are lost
// together if the other stamps, is slashed or loses a dispute. The reputation moves: nobody has
// more by vouching for itself under another name.
func (b *Records) Vouch(by, agent string, role Role, stake uint64, share int) error {
	k := key{agent, role}
	sum := share
	for of, v := range b.vouchers {
		if v.by == by && of.role == role {
			sum += v.share
		}
	}
	switch _, has := b.vouchers[k]; {
	case by == agent:
		return fmt.Errorf("%.64q vouches for itself", by)
	case has:
		return fmt.Errorf("somebody vouches for %.64q already", agent)
	case stake == 0:
		return fmt.Errorf("%.64q vouches without a stake", by)
	case share < 1 || sum > b.terms.Vouch:
		return fmt.Errorf("%.64q vouches with %d basis points of its reputation; all together are 1 to %d", by, sum, b.terms.Vouch)
	}
	if _, vouched := b.vouchers[key{by, role}]; vouched {
		return fmt.Errorf("%.64q lives on the word of another", by)
	}
	b.vouchers[k] = voucher{by, stake, share}
	return nil
}

// Release ends a voucher, and says what stake comes back.
func (b *Records) Release(agent string, role Role) (by string, stake uint64) {
	v := b.vouchers[key{agent, role}]
	delete(b.vouchers, key{agent, role})
	return v.by, v.stake
}

// lose takes from one who vouched the share of each of its records.
func (b *Records) lose(k key, at int64) {
	v, ok := b.vouchers[k]
	if !ok {
		return
	}
	delete(b.vouchers, k)
	b.forfeits = append(b.forfeits, Forfeit{v.by, k.agent, v.stake})
	a := b.account(key{v.by, k.role})
	for class, s := range a.classes {
		s = s.until(at, b.terms.Keep)
		s.golden.good -= part(s.golden.good, v.share)
		s.outcomes.good -= part(s.outcomes.good, v.share)
		a.classes[class] = s
	}
}
