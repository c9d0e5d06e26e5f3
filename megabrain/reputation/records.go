package reputation

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
	alarms  map[string]int // by class: rises with golden tasks that an evaluator did not tell
	restore map[string]int // by class: tasks that must succeed before its record counts again
	frozen  int64          // until then it is not drawn
}

// Records are those of all agents.
type Records struct {
	terms    Constants
	near     map[string][]string // classes that are near to a class
	accounts map[key]*account
	vouchers map[key]voucher // for whom
	offers   map[offer]voucher
	forfeits []Forfeit
}

// New is a book without records. Near names the classes whose records count in part in a class.
func New(t Constants, near map[string][]string) *Records {
	return &Records{terms: t, near: near, accounts: map[key]*account{}, vouchers: map[key]voucher{}, offers: map[offer]voucher{}}
}

func (b *Records) account(k key) *account {
	a := b.accounts[k]
	if a == nil {
		a = &account{classes: map[string]standing{}, alarms: map[string]int{}, restore: map[string]int{}}
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
// stamped: whether it failed so many of its last golden tasks in this class that one that looks at
// results hardly ever does; tasks of other classes do not hide it. Then its reputation is frozen,
// its record is gone, and so is what others vouched with.
func (b *Records) Golden(agent string, role Role, class string, at int64, passed bool) (stamped bool) {
	k := key{agent, role}
	a := b.account(k)
	b.change(a, class, at, func(s *standing) { s.golden.add(one(passed), 1) })
	if passed {
		a.alarms[class] = max(a.alarms[class]-1, 0)
		a.restore[class] = max(a.restore[class]-1, 0)
		return false
	}
	a.alarms[class] += b.terms.Step
	if role != Evaluator || a.alarms[class] < b.terms.Alarm {
		return false
	}
	a.alarms[class], a.frozen, a.restore[class] = 0, at+int64(b.terms.Freeze)*day, b.terms.Restore
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
		a.restore[class] = max(a.restore[class]-1, 0)
	case LowEffort:
		a.restore[class] = b.terms.Restore
		b.lose(k, at)
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
	value := own - b.lent(k, own, at)
	if v, ok := b.vouched(k, at); ok {
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
	case a.restore[class] > 0:
		return b.terms.Newcomer
	}
	s := a.classes[class].until(at, b.terms.Keep)
	for _, near := range b.near[class] {
		if a.restore[near] > 0 {
			continue
		}
		n := a.classes[near].until(at, b.terms.Keep)
		s.golden, s.outcomes = s.golden.plus(n.golden, b.terms.Near), s.outcomes.plus(n.outcomes, b.terms.Near)
	}
	return s.value(b.terms)
}

func mulDivInt(value, bps int) int { return int(mulDiv(uint64(value), uint64(bps), Whole)) }
