package work

import (
	"fmt"
	"strings"
)

// Budget bounds what an agent may use. An agent begins nothing that could exceed it if everything
// that is open ended as badly as it can, and stops when what has begun is over. A zero field is no
// bound.
type Budget struct {
	// Stake is the most that is at stake at once: bonds of a worker; rewards and bonds of a
	// creator.
	Stake uint64 `json:"stake,string"`
	// Loss is the most that may be lost: bonds of a worker; rewards paid and bonds of a creator.
	// An end that the agent has not seen counts as the worst that it can have been. Fees of
	// transactions and rents do not count.
	Loss uint64 `json:"loss,string"`
	// Tokens and Micros bound what models cost, Micros in millionths of a dollar.
	Tokens int    `json:"tokens"`
	Micros uint64 `json:"cost_micros"`
}

// Spent is what an agent has used of its budget.
type Spent struct {
	Lost uint64 `json:"lost,string"`
	Use
}

func (s *Spent) add(u Use) {
	s.Tokens += u.Tokens
	s.Micros += u.Micros
}

// over says which bound is reached; empty: none.
func (b Budget) over(s Spent) string {
	switch {
	case b.Loss > 0 && s.Lost >= b.Loss:
		return fmt.Sprintf("it has lost or paid %s, and its budget is %s", sol(s.Lost), sol(b.Loss))
	case b.Tokens > 0 && s.Tokens >= b.Tokens:
		return fmt.Sprintf("its models have used %d tokens, and its budget is %d", s.Tokens, b.Tokens)
	case b.Micros > 0 && s.Micros >= b.Micros:
		return fmt.Sprintf("its models have cost %d millionths of a dollar, and its budget is %d", s.Micros, b.Micros)
	}
	return ""
}

// allows reports whether a further stake and a further loss fit, beside what is at stake and at
// risk already.
func (b Budget) allows(s Spent, staked, risked, stake, loss uint64) bool {
	return (b.Stake == 0 || within(b.Stake, staked, stake)) && (b.Loss == 0 || within(b.Loss, s.Lost, risked, loss))
}

// within reports whether amounts add up to no more than a limit.
func within(limit uint64, amounts ...uint64) bool {
	for _, n := range amounts {
		if n > limit {
			return false
		}
		limit -= n
	}
	return true
}

// sol writes lamports for people.
func sol(lamports uint64) string {
	const perSOL = 1_000_000_000
	text := fmt.Sprintf("%d.%09d", lamports/perSOL, lamports%perSOL)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " SOL"
}

// signed writes an expectation for people.
func signed(lamports int64) string {
	if lamports < 0 {
		return "-" + sol(uint64(-lamports))
	}
	return sol(uint64(lamports))
}

// Skill is a kind of work that a worker takes.
type Skill struct {
	Name string `json:"name"`
	// Words must all stand in the creator's instruction, in any case.
	Words []string `json:"words"`
	// Least is the least price.
	Least uint64 `json:"least,string"`
	// Attempts is how often a result is made until one passes the checks.
	Attempts int `json:"attempts"`
}

// fits reports whether an instruction has all words.
func (s Skill) fits(text string) bool {
	text = strings.ToLower(text)
	for _, word := range s.Words {
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return text != ""
}

// WorkerPolicy says what a worker takes and how it answers.
type WorkerPolicy struct {
	// Name tells this worker from others, such as by its address.
	Name   string  `json:"name"`
	Skills []Skill `json:"skills"`
	AtOnce int     `json:"at_once"` // tasks that it works on
	// LeastSeconds is the least time for the work.
	LeastSeconds uint32 `json:"least_seconds"`
	// Undecided are the terms for undecided cases that it takes: refund, pay, split.
	Undecided []string `json:"undecided"`
	// MostLost refuses creators that lost at least so many cases, and more than they won; 0: none.
	MostLost uint32 `json:"most_lost"`
	// Reworks is how often it works again after an objection to a task.
	Reworks int `json:"reworks"`
	// Unchecked hands results in although they do not pass the checks.
	Unchecked bool `json:"unchecked"`
	// Mints are the tokens that it takes beside a reward, by the addresses of their mints, and what
	// a whole token is worth to it, in lamports. Others count for nothing.
	Mints  map[string]uint64 `json:"mints"`
	Budget Budget            `json:"budget"`
}

func (w *Worker) skill(name string) Skill {
	for _, s := range w.Policy.Skills {
		if s.Name == name {
			return s
		}
	}
	return Skill{Name: name, Attempts: 1}
}

// named returns the name of the first skill for an instruction.
func (p WorkerPolicy) named(text string) string {
	for _, s := range p.Skills {
		if s.fits(text) {
			return s.Name
		}
	}
	return ""
}

// CreatorPolicy says how a creator posts and answers.
type CreatorPolicy struct {
	AtOnce int `json:"at_once"` // tasks that are open
	// Patience is how many seconds a task is on the market before it is cancelled; 0: for ever.
	Patience int64 `json:"patience"`
	// Vault is filled up from the wallet to this amount if it holds too little; 0: never.
	Vault uint64 `json:"vault,string"`
	// Object refuses a result if neither code nor a model can tell whether it is right. Without it
	// such a result is accepted.
	Object bool `json:"object"`
	// Tokens are put beside the reward of orders that name none.
	Tokens Tokens `json:"tokens"`
	Budget Budget `json:"budget"`
	// Ends stops the creator when the queue is empty and nothing is open.
	Ends bool `json:"ends"`
}

// Phase is where a task stands.
type Phase string

// The phases. Claiming, Submitting, Answering, Yielding and Queued to Objecting are decisions of an
// agent that may not be on the chain yet; the others are the chain's, too.
const (
	Open       Phase = "open"
	Claiming   Phase = "claiming"
	Making     Phase = "making"
	Submitting Phase = "submitting"
	Waiting    Phase = "waiting" // for the creator
	Disputed   Phase = "disputed"
	Answering  Phase = "answering"
	Reworking  Phase = "reworking"
	Yielding   Phase = "yielding" // it gives in by silence
	Judged     Phase = "judged"   // before the court
	Over       Phase = "over"

	Posting   Phase = "posting"
	Accepting Phase = "accepting"
	Objecting Phase = "objecting"
)
