package market

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// fake is a chain with tasks.
type fake struct {
	tasks, agents []*ledger.Account
	pledges       []*ledger.Account
	mints         map[onchain.Address]*ledger.Account
	fault         error
}

func (f *fake) Clock(context.Context) (now, market int64, err error) { return 1_030, 1_015, nil }

func (f *fake) Heads(_ context.Context, account string, having ledger.Filter, offset, length int) (out []*ledger.Account, err error) {
	if account == "Pledge" {
		for _, a := range f.pledges {
			out = append(out, &ledger.Account{Address: a.Address, Data: a.Data[offset : offset+length]})
		}
		return out, f.fault
	}
	status := having.Bytes[0]
	for _, a := range f.tasks {
		if t, err := program.DecodeTask(a.Data); account == "Task" && err == nil && uint8(t.Status) == status {
			out = append(out, &ledger.Account{Address: a.Address, Data: a.Data[offset : offset+length]})
		}
	}
	if account == "Agent" && status == 0 {
		out = f.agents
	}
	return out, f.fault
}

func (f *fake) add(at onchain.Address, t program.Task) {
	t.OnUndecided = voting.RefundCreator
	f.tasks = append(f.tasks, &ledger.Account{Address: at, Data: t.Encode()})
}

// TestRead: tasks that are not over are listed newest first, with what a claim gets at the time of
// auctions, which stands still in a pause.
func TestRead(t *testing.T) {
	t.Parallel()
	document := []byte(`{"instruction":["Draw an\n eleptiger","big"],"output_schema":{"a":"string"},"data_sources":["memory.search"]}`)
	hash := casefile.HashOf(document)
	f := &fake{}
	f.add(onchain.Address{1}, program.Task{Status: program.Created, CreatedAt: 10, RewardMax: 5, Escrow: 5, TaskHash: hash})
	f.add(onchain.Address{2}, program.Task{Status: program.Created, CreatedAt: 30, Auction: voting.ReverseDutch, RewardMin: 100, RewardMax: 200, Escrow: 200, AuctionFrom: 1_000, AuctionSeconds: 30})
	f.add(onchain.Address{3}, program.Task{Status: program.Judiciary, CreatedAt: 20, Reward: 7, Escrow: 7})
	f.add(onchain.Address{6}, program.Task{Status: program.Judiciary, CreatedAt: 60, Dispute: program.DisputeJoined, Escrow: 7})
	f.add(onchain.Address{4}, program.Task{Status: program.Complete, CreatedAt: 40})
	f.add(onchain.Address{5}, program.Task{Status: program.Created, CreatedAt: 50, Auction: voting.ReverseDutch, RewardMin: 9, RewardMax: 1, AuctionSeconds: 1})
	m, err := New(f, func(_ context.Context, h voting.Hash) ([]byte, error) {
		if h == hash {
			return document, nil
		}
		return []byte("{}"), nil
	}).Read(t.Context())
	if err != nil || m.Now != 1_030 || len(m.Offers) != 3 || m.Left != 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, want := range []string{"2 150  []", "3 7  []", "1 5 Draw an eleptiger [memory.search]"} {
		o := m.Offers[i]
		if got := fmt.Sprint(o.Task[0], " ", o.Price, " ", o.Subject, " ", o.Sources); got != want {
			t.Errorf("offer %d: %s, want %s", i, got, want)
		}
	}
	f.fault = errors.New("lists are refused")
	if _, err := New(f, nil).Read(t.Context()); !errors.Is(err, f.fault) {
		t.Error(err)
	}
}

// TestAttackSilentDocuments: 5,000 tasks whose documents no node sends hold a look up for 1.5 s,
// with 32 requests, and do not hold the next one up.
func TestAttackSilentDocuments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		for i := range 5_000 {
			f.add(onchain.Address{byte(i), byte(i >> 8)}, program.Task{Status: program.Created, CreatedAt: int64(i), TaskHash: voting.Hash{byte(i), byte(i >> 8), 1}})
		}
		var asked atomic.Int32
		r := New(f, func(ctx context.Context, _ voting.Hash) ([]byte, error) {
			asked.Add(1)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		for look := range 3 {
			from := time.Now()
			m, err := r.Read(t.Context())
			if took := time.Since(from); err != nil || took > patience || len(m.Offers) != maxOffers || m.Left != 3_000 {
				t.Errorf("look %d: %s, %d offers, %d left, %v", look, took, len(m.Offers), m.Left, err)
			}
		}
		if n := asked.Load(); n > 3*maxFetch {
			t.Errorf("%d documents were asked for", n)
		}
	})
}

// TestWords: hostile documents have no words, or those that stand in them.
func TestWords(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"": "", "{}": "", `{"instruction":[]}`: "", `{"instruction":["` + strings.Repeat("a ", 10) + `"],"output_schema":{"a":"string"}}`: strings.TrimSpace(strings.Repeat("a ", 10)),
	} {
		if got := read([]byte(document)); got.subject != want || !slices.Equal(got.sources, nil) {
			t.Errorf("%q: %+v", document, got)
		}
	}
}

// TestLatest: whoever asks, the chain is asked for the market once in five seconds. A fault is not
// remembered.
func TestLatest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{fault: errors.New("lists are refused")}
		f.add(onchain.Address{1}, program.Task{Status: program.Created, RewardMax: 5, Escrow: 5})
		r := New(f, func(context.Context, voting.Hash) ([]byte, error) { return nil, errors.New("nobody has it") })
		if _, err := r.Latest(t.Context()); !errors.Is(err, f.fault) {
			t.Error(err)
		}
		f.fault = nil
		for after, want := range []int{1, 1, 2} {
			if after == 1 {
				f.add(onchain.Address{2}, program.Task{Status: program.Created, RewardMax: 5, Escrow: 5})
			}
			m, err := r.Latest(t.Context())
			if err != nil || len(m.Offers) != want {
				t.Errorf("%d: %v, %d tasks, want %d", after, err, len(m.Offers), want)
			}
			if after == 1 {
				time.Sleep(fresh)
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		r.reading <- struct{}{}
		if _, err := r.Latest(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
