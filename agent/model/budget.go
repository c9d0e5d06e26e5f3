package model

import (
	"fmt"
	"math"
	"sync"

	"ojud/agent"
)

// meter has the cost of a case, with reservations, so that requests at once stay in the budget.
type meter struct {
	budget Budget

	mu    sync.Mutex
	used  agent.Usage
	aside agent.Usage
}

// cost is the price of tokens in millionths of a dollar, rounded up.
func (e Endpoint) cost(prompt, completion int) uint64 {
	return uint64(math.Ceil(float64(prompt)*e.PromptPrice + float64(completion)*e.CompletionPrice))
}

// reserve reserves the largest possible cost of a request. The error is agent.ErrSpent.
func (m *meter) reserve(want agent.Usage) (agent.Usage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := m.left()
	tokens := want.Prompt + want.Completion
	switch {
	case left.Calls < want.Calls:
		return agent.Usage{}, fmt.Errorf("%w: all %d calls were made", agent.ErrSpent, m.budget.Calls)
	case left.Prompt < tokens:
		return agent.Usage{}, fmt.Errorf("%w: the request may take %d tokens, and %d of %d are left", agent.ErrSpent, tokens, left.Prompt, m.budget.Tokens)
	case left.Cost < want.Cost:
		return agent.Usage{}, fmt.Errorf("%w: the request may cost %d millionths of a dollar, and %d are left", agent.ErrSpent, want.Cost, left.Cost)
	case left.Time <= 0:
		return agent.Usage{}, fmt.Errorf("%w: the time of %s is over", agent.ErrSpent, m.budget.Time)
	}
	want.Time = min(want.Time, left.Time)
	m.aside.Add(want)
	return want, nil
}

// left returns the rest of the budget. Its Prompt has all tokens.
func (m *meter) left() agent.Usage {
	taken := m.used
	taken.Add(m.aside)
	most := uint64(m.budget.Cost * 1e6)
	return agent.Usage{
		Calls: m.budget.Calls - taken.Calls, Prompt: m.budget.Tokens - taken.Prompt - taken.Completion,
		Cost: most - min(taken.Cost, most), Time: m.budget.Time - taken.Time,
	}
}

// settle replaces a reservation by the real cost.
func (m *meter) settle(aside, took agent.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aside.Calls -= aside.Calls
	m.aside.Prompt -= aside.Prompt
	m.aside.Completion -= aside.Completion
	m.aside.Cost -= aside.Cost
	m.aside.Time -= aside.Time
	m.used.Add(took)
}

func (m *meter) usage() agent.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}
