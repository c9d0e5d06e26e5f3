package warden

import (
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
)

type key struct{ ed25519.PrivateKey }

func newKey(n int) key {
	return key{ed25519.NewKeyFromSeed(binary.BigEndian.AppendUint64(make([]byte, 24), uint64(n)))}
}

func (k key) Principal() delegation.Principal {
	return delegation.Principal(k.Public().(ed25519.PublicKey))
}

func (k key) Sign(m []byte) [64]byte { return [64]byte(ed25519.Sign(k.PrivateKey, m)) }

// TestTree: fifty delegates below one budget of tokens. Delegates die at random, and so does the
// host. What all of them spent is never more than the budget of the root, what a dead one had left
// is used by others, and without the budget they would spend more.
func TestTree(t *testing.T) {
	t.Parallel()
	const budget, own = 400, 40
	for name, most := range map[string]*int64{"budget": number(budget), "control": nil} {
		dir, operator := t.TempDir(), newKey(0)
		var w *Warden
		saved := map[string]host.Invocation{} // what a host has on its disk
		open := func() {
			t.Helper()
			var err error
			if w, err = Open(dir, operator); err != nil {
				t.Fatal(err)
			}
			for n := range 51 {
				w.Add(newKey(n))
			}
			if err := w.Recover(func(id string) (host.Invocation, bool, error) {
				c, found := saved[id]
				return c, found, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		open()
		random := rand.New(rand.NewPCG(1, 2))
		spent, refused, kills := 0, 0, 0
		chains := []Granted{{}} // of living delegates
		who := []int{0}
		for n := 1; n <= 50; n++ {
			at := random.IntN(len(who))
			o := Inside{From: newKey(who[at]).Principal(), To: newKey(n).Principal(), Before: chains[at].Chain, Target: host.Target{Agent: "a", Capability: "do"}, Payload: []byte("1"), Own: delegation.Amounts{0, own, 0}, Time: time.Minute}
			if at == 0 {
				o.Before, o.Within = nil, Restriction{Tokens: most}
				if len(chains) > 1 { // one delegate of the root has the budget
					o.From, o.Before, o.Within = newKey(who[1]).Principal(), chains[1].Chain, Restriction{}
				}
			}
			g, err := w.Grant(o)
			var no *host.Refused
			if errors.As(err, &no) && (no.Name == "OverBudget" || no.Name == "TooDeep") {
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			c := host.Invocation{ID: g.Call, Stage: host.Over, Started: 1, Status: host.OK, Allowance: host.Allowance{Admitted: true, MayTokens: g.Tokens, MayMicros: g.Micros}}
			switch random.IntN(3) {
			case 0: // it ends, and is not there to delegate
				c.Tokens = random.IntN(own + 1)
				spent += c.Tokens
				if err := w.Settle(c, c.Tokens, 0); err != nil {
					t.Fatal(err)
				}
				if len(chains) > 1 {
					continue
				}
			case 1: // the host is killed while it runs
				c.Status = host.Interrupted
				saved[c.ID] = c
				spent, kills = spent+own, kills+1
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				open()
			default: // it is killed, and the host settles what it used
				spent += own / 4
				if err := w.Settle(c, own/4, 0); err != nil {
					t.Fatal(err)
				}
			}
			chains, who = append(chains, g), append(who, n)
		}
		t.Logf("%s: %d tokens spent, %d refused, %d kills of the host", name, spent, refused, kills)
		if name == "budget" && (spent > budget || refused == 0 || kills < 3 || spent < budget/2) || name == "control" && spent <= budget {
			t.Errorf("%s: %d of %d tokens, %d refused, %d kills", name, spent, budget, refused, kills)
		}
		if open := w.keep.Open(); len(open) != 0 {
			t.Errorf("%d calls have their budgets still", len(open))
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

func number(n int64) *int64 { return &n }
