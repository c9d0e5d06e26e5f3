package node

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ojud/datasource"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// unfit gives a node a source whose form no request fits.
func unfit(t testing.TB, m *member) {
	t.Helper()
	posts := t.TempDir()
	if err := os.WriteFile(filepath.Join(posts, "7.json"), []byte(`{"text":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := datasource.Parse(fmt.Appendf(nil, `{"name":"site.post","description":"posts","inputSchema":{"type":"object","properties":{"name":{"type":"string","pattern":"^never-[0-9]+$"}},"required":["name"]},
"terms":{"access":["content"],"who":"seated"},"upstream":{"kind":"files","dir":%q,"allow":["*.json"],"format":"json"}}`, posts))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(m.home.Path("sources"), s); err != nil {
		t.Fatal(err)
	}
}

// TestAttackStrangersCardFitsNothing: a node without a stake announces the source of a task, with a
// card that no request fits. It was enough to make all judges abstain, in both rounds.
func TestAttackStrangersCardFitsNothing(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		m := &member{}
		w.equip(m)
		unfit(t, m)
		w.start(m)
		time.Sleep(time.Minute) // until the judges know the stranger
		c := w.until(60*time.Minute, "decided", w.dispute(posted()), func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 {
			t.Errorf("verdict %v in round %d: accept %d, reject %d, abstain %d", c.Verdict, c.Round, c.AcceptWeight, c.RejectWeight, c.AbstainWeight)
		}
	})
}

// TestAttackWorkerNamesNothing: a worker invents the name of a post. Two judges hold the source,
// and it knows no such post. All judges abstained, and on_undecided split paid the worker 0.45 SOL
// of a reward of 1 SOL.
func TestAttackWorkerNamesNothing(t *testing.T) {
	longtest.Only(t)
	for result, want := range map[string]voting.Verdict{`["7.json"]`: voting.ForWorker, `["8.json"]`: voting.ForCreator, `["../x"]`: voting.ForCreator} {
		t.Run(result, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := holders(t, "hello world", "hello world")
				p := posted()
				p.result = result
				creator, worker := w.parties()
				vault := func(k *ledger.Keypair) int64 {
					a, _, err := w.client.Agent(t.Context(), k.Address())
					w.must(err)
					return int64(a.Vault)
				}
				before := vault(worker)
				c := w.until(60*time.Minute, "decided", w.bring(creator, worker, 0, sol, p), func(c *program.Case) bool { return c.Status.Over() })
				gain := vault(worker) - before
				if c.Verdict != want || c.Round != 1 || (gain > 0) != (want == voting.ForWorker) {
					t.Errorf("verdict %v in round %d, accept %d, reject %d, abstain %d; the worker gains %d", c.Verdict, c.Round, c.AcceptWeight, c.RejectWeight, c.AbstainWeight, gain)
				}
			})
		})
	}
}
