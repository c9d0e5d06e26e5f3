package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/voting"
)

// TestCheckChain: each thing that can be wrong with a chain has its own error, and says what to do.
func TestCheckChain(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*fakeNode)
		want  error
		says  string
	}{
		{"all right", func(*fakeNode) {}, nil, ""},
		{"other cluster", func(f *fakeNode) { f.genesis[0]++ }, ErrOtherChain, "point rpc at a node of the right cluster"},
		{"no program", func(f *fakeNode) { f.remove(f.program.ID()) }, ErrNoProgram, "deploy"},
		{"no executable", func(f *fakeNode) { f.accounts[f.program.ID()].Executable = false }, ErrNotExecutable, "check"},
		{"no config", func(f *fakeNode) { f.remove(f.program.Config()) }, ErrNoConfig, "init_config"},
		{"foreign config", func(f *fakeNode) { f.accounts[f.program.Config()].Owner = onchain.SystemProgram() }, ErrForeign, ""},
		{"damaged config", func(f *fakeNode) { f.accounts[f.program.Config()].Data[0]++ }, ErrForeign, ""},
		{"older court", func(f *fakeNode) { f.accounts[f.program.Config()].Data[8] = 1 }, errVersion, "go on with the ojud that you used before"},
		{"other network", func(f *fakeNode) { f.accounts[f.program.Config()].Data[88]++ }, ErrOtherChain, "initialised for the network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := newFakeNode()
			want := node.genesis
			c.spoil(node)
			err := node.open(t, testConfig()).CheckChain(t.Context(), want)
			if !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
		})
	}
}

// TestNeverBackward: an answer that is older than an earlier read is not taken; the node is asked
// until it has caught up, or the read fails with ErrStale.
func TestNeverBackward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.start(t)
		c := node.open(t, testConfig())
		m, err := c.Now(t.Context())
		if err != nil || m.Slot != c.Slot() {
			t.Fatal(m, c.Slot(), err)
		}
		node.fault = func(_ string, n int) fault { return fault{slots: 5} }
		later, err := c.Now(t.Context())
		if err != nil || later.Slot < m.Slot {
			t.Errorf("slot %d after slot %d: %v", later.Slot, m.Slot, err)
		}
		if n := node.count("getMultipleAccounts"); n < 3 {
			t.Errorf("%d calls: the lagging node was believed", n)
		}
		node.fault = func(_ string, n int) fault { return fault{slots: 60} } // 24 s
		start := time.Now()
		if _, err = c.Now(t.Context()); !errors.Is(err, ErrStale) || time.Since(start) > 20*time.Second {
			t.Errorf("a node 60 slots behind: %v after %v", err, time.Since(start))
		}
		node.fault = nil
		if _, err = c.Now(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestMinContextSlot: a node that knows that it is behind says so, and is asked again.
func TestMinContextSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		c := node.open(t, testConfig())
		if _, _, err := accountsFrom(t.Context(), c, 1010, nil, onchain.ClockAccount()); !errors.Is(err, ErrStale) {
			t.Errorf("slot 1010 of a chain in slot 999: %v", err)
		}
		time.AfterFunc(3*time.Second, func() { node.tick(20) })
		if _, slot, err := accountsFrom(t.Context(), c, 1010, nil, onchain.ClockAccount()); err != nil || slot < 1010 {
			t.Errorf("slot %d, %v", slot, err)
		}
	})
}

// TestAnotherChain: no answer of a node is believed after it came back with another genesis hash.
func TestAnotherChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		c := node.open(t, testConfig())
		if err := c.CheckChain(t.Context(), node.genesis); err != nil {
			t.Fatal(err)
		}
		node.fault = func(_ string, n int) fault { return fault{before: true} }
		if _, err := c.Now(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Fatal(err)
		}
		node.fault = nil
		if _, err := c.Now(t.Context()); err != nil {
			t.Fatalf("the same chain after an outage: %v", err)
		}
		asked := node.count("getGenesisHash")
		if _, err := c.Now(t.Context()); err != nil || node.count("getGenesisHash") != asked {
			t.Errorf("asked for the genesis hash again without an outage: %v", err)
		}
		// Started anew, with a chain as long as before.
		node.fault = func(_ string, n int) fault { return fault{before: true} }
		if _, err := c.Now(t.Context()); !errors.Is(err, ErrUnavailable) {
			t.Fatal(err)
		}
		node.fault, node.genesis = nil, onchain.Hash{9}
		for range 2 {
			if _, err := c.Now(t.Context()); !errors.Is(err, ErrOtherChain) {
				t.Errorf("another chain: %v", err)
			}
		}
	})
}

// TestYoungerChain: a chain started anew is found out by its low slots alone, too.
func TestYoungerChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		c := node.open(t, testConfig())
		if err := c.CheckChain(t.Context(), node.genesis); err != nil {
			t.Fatal(err)
		}
		node.slot, node.genesis = 10, onchain.Hash{9}
		node.fault = func(string, int) fault { return fault{} }
		if _, err := c.Now(t.Context()); !errors.Is(err, ErrStale) && !errors.Is(err, ErrOtherChain) {
			t.Error(err)
		}
		node.slot = 800 // by then the slot itself looks possible
		if _, err := c.Now(t.Context()); !errors.Is(err, ErrOtherChain) {
			t.Error(err)
		}
	})
}

// sampleTask is a task as the program may write it.
func sampleTask(creator onchain.Address, id uint64, status program.TaskStatus) *program.Task {
	return &program.Task{Status: status, OnUndecided: voting.SplitEscrow, ID: id, Creator: creator, RewardMax: 1}
}

// sampleCase is a case as the program may write it.
func sampleCase(task onchain.Address, status voting.Status) *program.Case {
	return &program.Case{
		Status: status, Round: 1, Task: task, OpenedAt: 1_800_000_000, SettledAt: 1_800_000_000,
		Rules: voting.Rules{Preset: 1, MaxRounds: 3, PanelSeats: 3, MinSeats: 1, EvidenceSeconds: 100},
		Seats: []program.Seat{{Judge: onchain.Address{21}, Weight: 5, Index: 0}},
	}
}

// TestReads: every kind of account can be read and listed; strangers' are refused, missing ones are
// said to be missing, with the slot.
func TestReads(t *testing.T) {
	node := newFakeNode()
	c, ctx := node.open(t, testConfig()), t.Context()
	alice, bob := onchain.Address{1}, onchain.Address{2}
	p := node.program
	for i := range uint64(6) {
		creator, status := alice, program.Created
		if i%2 == 1 {
			creator, status = bob, program.Judiciary
		}
		node.set(p.Task(creator, i), sampleTask(creator, i, status))
	}
	node.set(p.Agent(alice), &program.Agent{Authority: alice, Vault: 77})
	node.set(p.RegistryPage(0), &program.RegistryPage{Entries: []program.RegistryEntry{{Authority: alice, Agent: p.Agent(alice)}}})
	disputed := p.Task(bob, 1)
	node.set(p.Case(disputed), sampleCase(disputed, voting.Committing))
	ended := p.Task(bob, 3)
	node.set(p.Case(ended), sampleCase(ended, voting.Decided))

	if cfg, slot, err := c.Config(ctx); err != nil || slot != 999 || cfg.Rules != program.FirstRules {
		t.Error(cfg, slot, err)
	}
	old := p.Case(p.Task(bob, 9))
	node.set(old, sampleCase(p.Task(bob, 9), voting.Decided))
	node.accounts[old].Data = append(node.accounts[old].Data, make([]byte, 64)...) // as before ADR 0219
	if _, _, err := Read(ctx, c, old, program.DecodeCase); !errors.Is(err, errVersion) {
		t.Error("an older court:", err)
	}
	node.remove(old)
	if r, slot, err := Read(ctx, c, p.Rules(program.FirstRules), program.DecodeRules); err != nil || slot != 999 || r.MaxJudges != program.UsualJudges {
		t.Error(r, slot, err)
	}
	if a, _, err := c.Agent(ctx, alice); err != nil || a.Vault != 77 {
		t.Error(a, err)
	}
	if page, _, err := Read(ctx, c, p.RegistryPage(0), program.DecodeRegistryPage); err != nil || len(page.Entries) != 1 {
		t.Error(page, err)
	}
	if task, _, err := c.Task(ctx, disputed); err != nil || task.Creator != bob {
		t.Error(task, err)
	}
	if dispute, _, err := c.Case(ctx, disputed); err != nil || dispute.Task != disputed {
		t.Error(dispute, err)
	}
	for _, want := range []struct {
		f TaskFilter
		n int
	}{
		{TaskFilter{}, 6}, {TaskFilter{Creator: alice}, 3}, {TaskFilter{Status: program.Judiciary}, 3},
		{TaskFilter{Creator: alice, Status: program.Judiciary}, 0}, {TaskFilter{Worker: bob}, 0},
	} {
		if all, slot, err := c.Tasks(ctx, want.f); err != nil || len(all) != want.n || slot != 999 {
			t.Errorf("%+v: %d tasks of slot %d, %v", want.f, len(all), slot, err)
		}
	}
	if all, _, err := c.Cases(ctx, voting.Committing); err != nil || len(all) != 1 || all[0].Value.Task != disputed {
		t.Error(all, err)
	}
	if all, _, err := c.Cases(ctx, 0); err != nil || len(all) != 2 {
		t.Error(all, err)
	}
	if all, _, err := c.Agents(ctx); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
	if heads, _, err := c.caseHeads(ctx); err != nil || len(heads) != 2 {
		t.Error(heads, err)
	}
	_, slot, err := c.Agent(ctx, bob)
	var missing *missing
	if !errors.As(err, &missing) || !errors.Is(err, ErrNotFound) || missing.Address != p.Agent(bob) || missing.Slot != 999 || slot != 999 {
		t.Errorf("no agent: %v, slot %d", err, slot)
	}
	node.accounts[p.Agent(bob)] = &Account{Owner: bob, Data: (&program.Agent{Authority: bob}).Encode()}
	if _, _, err := c.Agent(ctx, bob); !errors.Is(err, ErrForeign) {
		t.Errorf("an agent that is not the program's: %v", err)
	}
	if _, _, err := c.Task(ctx, p.Agent(alice)); !errors.Is(err, ErrForeign) {
		t.Errorf("an agent read as a task: %v", err)
	}
	if _, _, err := c.Accounts(ctx, make([]onchain.Address, 101)...); !errors.Is(err, rpc.ErrRefused) {
		t.Error(err)
	}
	if n, slot, err := c.Balance(ctx, onchain.Address{99}); n != 0 || slot != 999 || err != nil {
		t.Error(n, slot, err)
	}
}

// TestAccountAnswers: what a node may say instead of accounts.
func TestAccountAnswers(t *testing.T) {
	account := func(data string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":5},"value":[{"lamports":1,"owner":"11111111111111111111111111111111","data":` + data + `}]}}`
	}
	for name, body := range map[string]string{
		"compressed": account(`["KLUv/QQA","base64+zstd"]`), "base58": account(`["1","base58"]`), "parsed": account(`{"program":"x"}`),
		"no base64": account(`["*","base64"]`), "no pair": account(`["AA=="]`), "numbers": account(`[1,2]`),
		"too many": `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":5},"value":[null,null]}}`,
		"negative": `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":-5},"value":[null]}}`,
		"null":     `{"jsonrpc":"2.0","id":1,"result":null}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			node := newFakeNode()
			n := 0
			node.fault = func(string, int) fault {
				n++
				return fault{body: []byte(strings.Replace(body, `"id":1`, fmt.Sprintf(`"id":%d`, n), 1))}
			}
			if _, _, err := node.open(t, testConfig()).Accounts(t.Context(), onchain.Address{1}); !errors.Is(err, ErrAnswer) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestMoney: rent, and airdrops with what can be wrong with them in plain words.
func TestMoney(t *testing.T) {
	node := newFakeNode()
	c := node.open(t, testConfig())
	if n, err := c.RentMinimum(t.Context(), 0); err != nil || n != 890_880 {
		t.Error(n, err)
	}
	for code, says := range map[int]string{rpc.CodeNoMethod: "has no faucet", rpc.CodeInternal: "refuses", 429: "refuses"} {
		node.fault = func(string, int) fault { return fault{code: code} }
		_, err := c.Airdrop(t.Context(), onchain.Address{1}, 1)
		if !errors.Is(err, errAirdrop) || !strings.Contains(err.Error(), says) {
			t.Errorf("code %d: %v", code, err)
		}
	}
	if n := node.count("requestAirdrop"); n != 3 {
		t.Errorf("%d requests for 3 airdrops: a faucet counts them", n)
	}
}

// TestClients: two clients cannot share a registry, but one can follow another; without one there
// are no metrics.
func TestClients(t *testing.T) {
	reg, address := prometheus.NewRegistry(), onchain.Address{7}
	a, err := New(testConfig(), address, Deps{Metrics: reg})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(testConfig(), address, Deps{Metrics: reg}); err == nil {
		t.Error("two clients on one registry")
	}
	a.Close()
	b, err := New(testConfig(), address, Deps{Metrics: reg})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	c, err := New(testConfig(), address, Deps{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := New(testConfig(), onchain.Address{}, Deps{}); err == nil {
		t.Error("a client of no program")
	}
	if _, err := New(Config{}, address, Deps{}); err == nil {
		t.Error("a client without a config")
	}
}
