package exam

import (
	"context"
	"sync"

	"ojud/agent/judge"
	"ojud/agent/judge/account"
	"ojud/casefile"
	"ojud/voting"
)

// accountable is a judge that also gives an account. Otherwise Account is like Evaluate.
type accountable interface {
	judge.Judge
	Account(ctx context.Context, b judge.Brief) (casefile.Opinion, account.Account, error)
}

// listener records the accounts of a judge that gives them.
type listener struct {
	judge judge.Judge

	mu   sync.Mutex
	told map[voting.Key]account.Account
}

func listen(j judge.Judge) *listener {
	return &listener{judge: j, told: map[voting.Key]account.Account{}}
}

func (l *listener) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	candid, ok := l.judge.(accountable)
	if !ok {
		return l.judge.Evaluate(ctx, b)
	}
	o, a, err := candid.Account(ctx, b)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told[b.Case] = a
	return o, err
}

// account returns the account of a case, or a zero one if there is none.
func (l *listener) account(task voting.Key) account.Account {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told[task]
}
