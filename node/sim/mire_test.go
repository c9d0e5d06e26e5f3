package sim

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ojud/node"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

var (
	flagTrials   = flag.Int("trials", 0, "trials of TestMire 0: one small one")
	flagPanel    = flag.Int("trials.judges", 28, "judges of TestMire's trials")
	flagSilent   = flag.Int("silent", 9, "of whom are silent")
	flagPatience = flag.Duration("trials.patience", node.DefaultConfig().Sync.Timeout, "how long a node of TestMire lets one question to a peer take; 5s is the control")
	flagFirst    = flag.Uint64("trials.first", 0, "the first seed of TestMire")
	flagMired    = flag.Duration("trials.for", time.Hour, "when TestMire ends although there are trials left")
)

// mire plans a court in a bad network from the first case on. A fifth of all packets is lost. The
// messages of every second node, and the answers of its RPC node, take four seconds longer. The RPC
// nodes of the others lose a fifth of their answers. Every node has 1 Mbit/s each way, and the last
// judges are silent. A round has three minutes; that of the long form ten, as on the main network.
//
// A question to a peer needs time for the way there and back and for a lost packet. With a patience
// of five seconds the far judges get no papers and abstain.
func mire(seed uint64, judges, silent int, patience time.Duration) plan {
	r := rand.New(rand.NewPCG(seed, 0x313e))
	p := quiet(seed, judges)
	p.patience = patience
	p.narrow, p.commit, p.reveal = 1_000_000, 120, 60
	for i := range judges {
		p.minds[i].takes = time.Duration(5+r.IntN(40)) * time.Second
		if i >= judges-silent {
			p.who[i] = absent
		}
	}
	return p
}

// wade plays the plan. It returns the end and the time of each round from its draw to its
// settlement.
func wade(t *testing.T, p plan) (broken []string, end voting.Status, verdict voting.Verdict, took []time.Duration) {
	t.Helper()
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, p, newCoverage(), nil)
		defer w.close()
		w.open()
		w.sink()
		w.play()
		w.outlast()
		w.settle()
		for _, task := range w.tasks() {
			x := w.ref.of(task)
			if x.last == nil {
				continue
			}
			end, verdict = x.last.Status, x.last.Verdict
			for _, d := range x.rounds {
				if !d.settled.IsZero() {
					took = append(took, d.settled.Sub(d.drawn))
				}
			}
		}
		w.ref.mu.Lock()
		defer w.ref.mu.Unlock()
		broken = append(broken, w.ref.faults...)
	})
	return broken, end, verdict, took
}

// sink makes the network bad.
func (w *world) sink() {
	far := func(i int) bool { return i%2 == 1 }
	w.net.Loss(0.2)
	w.net.Slow(func(from, _ int) time.Duration {
		if far(from) {
			return 4 * time.Second
		}
		return 0
	})
	for i, m := range w.members {
		if far(i) {
			m.link.hold(&event{kind: slowRPC, dose: 0.5}) // 4 seconds
		} else {
			m.link.hold(&event{kind: flakyRPC, dose: 0.25}) // 20 %
		}
	}
}

// outlast waits for the end of the case and then makes the network good again, so that nodes can
// read what they missed.
func (w *world) outlast() {
	for end := time.Now().Add(voting.MaxRounds * 15 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		if _, over := w.ref.over(); over {
			break
		}
	}
	w.net.Loss(0)
	w.net.Slow(nil)
	for _, m := range w.members {
		m.link.hold(nil)
	}
}

// TestMire: if less than a third of the judges is silent in a bad network, a round is decided
// before its time is over, as the honest judges say (R5). If more are silent, the case ends
// undecided by the rule of the quorum, and never otherwise.
func TestMire(t *testing.T) {
	judges, silent, trials := *flagPanel, *flagSilent, *flagTrials
	if trials == 0 {
		judges, silent, trials = 4, 1, 1
	}
	decided, most, began, n := 0, time.Duration(0), time.Now(), 0
	long := *flagTrials > 0
	for ; n < trials && time.Since(began) < *flagMired; n++ {
		seed := *flagFirst + uint64(n)
		p := mire(seed, judges, silent, *flagPatience)
		if long {
			p.commit, p.reveal = 420, 180
		}
		enough := 3*silent < judges
		broken, end, verdict, took := wade(t, p)
		for _, b := range broken {
			if enough || !strings.HasPrefix(b, "honest-majority-decides") { // without them there is no quorum
				t.Errorf("seed %d: %.300s", seed, b)
			}
		}
		for _, d := range took {
			most = max(most, d)
		}
		if verdict == voting.ForWorker && len(took) == 1 {
			decided++
		}
		if enough != (verdict == voting.ForWorker && len(took) == 1) || !enough && end != voting.EndedUndecided {
			t.Errorf("seed %d: %s for %s after rounds of %v", seed, end, verdict, took)
		}
	}
	t.Logf("%d trials of %d judges, %d silent: %d decided in the first round, the longest round took %v; %v each", n, judges, silent, decided, most, time.Since(began)/time.Duration(max(n, 1)))
}
