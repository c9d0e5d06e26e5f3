package brain

import "fmt"

// The units of parameters.
const (
	BasisPoints = "bps" // of 10,000
	Lamports    = "lamports"
)

// Parameter is a number of a class, with its bounds.
type Parameter struct {
	Name        string
	Unit        string // bps, points, days, seconds, lamports, or empty
	Least, Most uint64
	Value       uint64

	set func(uint64)
}

// month is the longest phase.
const month = 30 * 24 * 3_600

// List lists the numbers of a class in their order.
func (p *Parameters) List() []Parameter {
	var out []Parameter
	share := func(at *uint16, name, unit string, least, most uint64) {
		out = append(out, Parameter{name, unit, least, most, uint64(*at), func(v uint64) { *at = uint16(v) }})
	}
	seconds := func(at *uint32, name string, most uint64) {
		out = append(out, Parameter{name, "seconds", 1, most, uint64(*at), func(v uint64) { *at = uint32(v) }})
	}
	s, t := &p.Shares, &p.Times
	share(&s.WorkerPool, "worker_pool", BasisPoints, 1, whole)
	share(&s.EvaluatorPool, "evaluator_pool", BasisPoints, 1, whole)
	share(&s.BonusPool, "bonus_pool", BasisPoints, 0, whole)
	share(&s.Consensus, "consensus", BasisPoints, 5_001, whole)
	share(&s.Pass, "pass", "points", 1, 100)
	share(&s.Sigma, "sigma", "points", 1, 25)
	share(&s.MaxEvaluators, "max_evaluators", "", 2, MaxSeats)
	share(&s.Effort, "effort", BasisPoints, 0, 5_000)
	share(&s.WorkerStake, "worker_stake", BasisPoints, 0, whole)
	share(&s.EvaluatorStake, "evaluator_stake", BasisPoints, 0, whole)
	share(&s.Missed, "missed", BasisPoints, 0, whole)
	share(&s.LowEffort, "low_effort", BasisPoints, 0, whole)
	share(&s.Deviation, "deviation", BasisPoints, 0, whole)
	share(&s.RubberStamp, "rubber_stamp", BasisPoints, 0, whole)
	share(&s.FreezeDays, "freeze_days", "days", 0, 365)
	share(&s.RestoreTasks, "restore_tasks", "", 0, 100)
	share(&s.Extension, "extension", BasisPoints, 0, whole)
	share(&s.Poster, "poster", BasisPoints, 0, whole)
	seconds(&t.Submission, "submission", month)
	seconds(&t.Evaluation, "evaluation", month)
	seconds(&t.Dispute, "dispute", month)
	seconds(&t.Arbitration, "arbitration", month)
	seconds(&t.Reveal, "reveal", month)
	seconds(&t.Draw, "draw", 3_600)
	share(&p.Reject, "reject", BasisPoints, 0, whole)
	share(&p.Golden, "golden", "", 0, 100)
	share(&p.MaxWorkers, "max_workers", "", 0, MaxSeats)
	return append(out, Parameter{"bond", Lamports, 1_000_000, 1 << 53, p.Bond, func(v uint64) { p.Bond = v }})
}

// Set sets a number of a class by its name.
func (p *Parameters) Set(name string, value uint64) error {
	for _, it := range p.List() {
		if it.Name != name {
			continue
		}
		if value < it.Least || value > it.Most {
			return fmt.Errorf("%s is %d; it is %d to %d %s", name, value, it.Least, it.Most, it.Unit)
		}
		it.set(value)
		return nil
	}
	return fmt.Errorf("a class has no parameter %.40q", name)
}

// Check says what is wrong with the numbers together.
func (p *Parameters) Check() error {
	if sum := int(p.Shares.WorkerPool) + int(p.Shares.EvaluatorPool) + int(p.Shares.BonusPool); sum > whole {
		return fmt.Errorf("worker_pool, evaluator_pool and bonus_pool are %d together; they are %d at most", sum, whole)
	}
	return nil
}

// OutcomeBond is the bond of an outcome of a task with this budget: 3 % of it, and at least that of
// the class.
func (p *Parameters) OutcomeBond(budget uint64) uint64 {
	const bps = 300
	return max(p.Bond, budget/whole*bps+budget%whole*bps/whole)
}

// DisputeStake is the least stake of who disputes an outcome after so many rejected disputes: its
// bond, and twice as much each time, up to the budget.
func (p *Parameters) DisputeStake(rejected uint8, budget uint64) uint64 {
	first := p.OutcomeBond(budget)
	least := first
	for range rejected {
		least = min(2*least, max(budget, first))
	}
	return least
}
