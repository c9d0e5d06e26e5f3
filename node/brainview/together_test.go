package brainview

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// slow is a chain that takes its time.
type slow struct {
	*chain
	takes time.Duration
	mu    sync.Mutex
}

func (s *slow) Accounts(ctx context.Context, all ...onchain.Address) ([]*ledger.Account, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	case <-time.After(s.takes):
		return s.chain.Accounts(ctx, all...)
	}
}

// TestTogether: a hundred who ask at once cost one look at the chain. Who leaves ends it for nobody
// else. While a look takes long, the last answer is shown, for ten seconds.
func TestTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &slow{chain: posted(t), takes: time.Second}
		r := New(Sources{Chain: c, Program: c.prog.ID()})
		ask := func(ctx context.Context) (took time.Duration, err error) {
			began := time.Now()
			_, err = r.Task(ctx, c.at)
			return time.Since(began), err
		}
		ctx, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("who left hears %v", err)
			}
		})
		synctest.Wait()
		for range 100 {
			all.Go(func() {
				if _, err := ask(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		one := c.reads
		if one == 0 || one > 2 {
			t.Errorf("%d reads of the chain, want one of the task and one of its class", one)
		}
		for _, k := range []struct{ later, want time.Duration }{{time.Second, 0}, {2 * time.Second, nearly}, {4 * time.Second, nearly}, {13 * time.Second, 2 * time.Second}} {
			<-time.After(k.later)
			if took, err := ask(t.Context()); err != nil || took != k.want {
				t.Errorf("%s later it takes %s, want %s: %v", k.later, took, k.want, err)
			}
		}
		if _, err := r.Anew(t.Context(), c.at); err != nil {
			t.Error(err)
		}
		if reads := c.reads; reads == one {
			t.Error("nothing was read anew")
		} else if _, err := r.Anew(t.Context(), c.at); err != nil || c.reads == reads {
			t.Errorf("nothing was read anew a second time: %v", err)
		}
		c.fault = errors.New("down")
		<-time.After(stale)
		if _, err := ask(t.Context()); !errors.Is(err, c.fault) {
			t.Errorf("without a chain: %v", err)
		}
	})
}

// TestActing: those who are to commit are listed, in the phase in which they are.
func TestActing(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		stage brain.Stage
		want  []string
	}{
		{brain.Working, []string{onchain.Address{11}.String()}}, {brain.Evaluating, []string{onchain.Address{22}.String()}}, {brain.Posted, nil},
	} {
		c := posted(t)
		c.task.Status = k.stage
		c.task.Work[0] = brain.WorkSeat{Agent: onchain.Address{11}}
		c.task.Judges[1] = brain.Evaluator{Agent: onchain.Address{22}}
		got, err := c.reader().Acting(t.Context())
		if err != nil || !slices.Equal(got[c.at.String()], k.want) {
			t.Errorf("%v: %v, want %v: %v", k.stage, got, k.want, err)
		}
	}
	c := posted(t)
	c.fault = errors.New("down")
	if _, err := c.reader().Acting(t.Context()); !errors.Is(err, c.fault) {
		t.Errorf("without a chain: %v", err)
	}
	if got, err := (*TaskReader)(nil).Acting(t.Context()); got != nil || err != nil {
		t.Error(got, err)
	}
}
