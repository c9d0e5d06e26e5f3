//go:build unix

package node

import (
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/ledger/journal"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/p2p/p2ptest/floor"
	"ojud/voting"
)

// throng is a crowd of whole p2p hosts. Each has a journal, and one goroutine writes the received
// votes into it, like a node's loop.
type throng struct {
	*floor.Tally
	hosts []*p2p.Host
	ids   []peer.ID
}

const crowdStream = "crowd"

func newThrong(b *testing.B, n int) *throng {
	b.Helper()
	t, dir := &throng{Tally: floor.NewTally(b)}, b.TempDir()
	for i := range n {
		cfg := p2ptest.Config(i)
		cfg.Listen = []string{loopback}
		h, err := p2p.New(b.Context(), cfg, p2ptest.Identity(b), p2p.Deps{})
		if err != nil {
			b.Fatal(err)
		}
		in := make(chan []byte, maxInputs)
		keep := journal.DefaultConfig()
		keep.Dir = filepath.Join(dir, fmt.Sprint(i))
		j, err := journal.Open(keep, journal.Identity{Network: voting.Hash{1}, Program: voting.Key{2}}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan struct{})
		go func() { t.keep(j, in); close(done) }()
		b.Cleanup(func() {
			if err := h.Close(); err != nil {
				b.Error(err)
			}
			close(in)
			<-done
			if err := j.Close(); err != nil {
				b.Error(err)
			}
		})
		if err := h.HandlePush(crowdStream, func(_ peer.ID, vote []byte) { t.take(vote, in) }); err != nil {
			b.Fatal(err)
		}
		t.hosts = append(t.hosts, h)
	}
	t.ids = p2ptest.IDs(t.hosts)
	p2ptest.Mesh(b, t.hosts)
	p2ptest.Eventually(b, 2*time.Minute, "all links", func() bool { return p2ptest.Links(t.hosts) == n*(n-1)/2 })
	return t
}

// take verifies a vote on the goroutine of its sender.
func (t *throng) take(vote []byte, in chan<- []byte) {
	body := len(vote) - ed25519.SignatureSize
	if !ed25519.Verify(vote[:ed25519.PublicKeySize], vote[:body], vote[body:]) {
		t.Fail(fmt.Errorf("a vote of %d bytes does not verify", len(vote)))
		return
	}
	in <- vote
}

// keep puts all waiting votes into one write, and counts them when they are durable. A push may
// come twice if a link is lost before the acknowledgement, so each vote counts once.
func (t *throng) keep(j *journal.Journal, in <-chan []byte) {
	seen := map[[ed25519.SignatureSize]byte]bool{}
	for vote := range in {
		var all []voting.Notice
		for {
			if signature := [ed25519.SignatureSize]byte(vote[len(vote)-ed25519.SignatureSize:]); !seen[signature] {
				seen[signature], all = true, append(all, ballot(vote))
			}
			if len(all) == maxBatch || len(in) == 0 {
				break
			}
			vote = <-in
		}
		if err := j.PutNotices(all...); err != nil {
			t.Fail(err)
			return
		}
		for range all {
			t.Count()
		}
	}
}

func ballot(vote []byte) voting.Notice {
	return voting.Vote{Task: voting.Key{3}, Round: 1, Judge: voting.Key(vote[:32]), Raw: vote}
}

// Name implements floor.Exchange.
func (*throng) Name() string { return "push" }

// Settle implements floor.Exchange.
func (*throng) Settle() { time.Sleep(rest) }

// Round implements floor.Exchange.
func (t *throng) Round(votes [][]byte) {
	t.Expect(len(votes))
	for i, v := range votes {
		go func() {
			if err := t.hosts[i].Push(crowdStream, t.ids, v); err != nil {
				t.Fail(err)
			}
		}()
	}
	t.Wait()
}

// crowdSize returns the number of hosts that exchange votes in P5, more than the seats of a round:
// 100, or fewer if the process may not open enough files for the links of three networks and for
// the journals. At that limit a process accepts no connection and logs nothing. QUIC needs few
// files, but its links time out among so many hosts on two processors.
func crowdSize(b *testing.B) int {
	b.Helper()
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		b.Fatal(err)
	}
	n := 100
	for 3*n*n+40*n > int(files.Cur) {
		n--
	}
	return n
}

// crowd is P5. The program has 28 seats, so this measures the layer below it: pushes, signatures
// and journals of 100 hosts.
func crowd(b *testing.B, where string) []floor.Figure {
	b.Helper()
	n := crowdSize(b)
	ways := []floor.Exchange{floor.NewDirect(b, n, loopback), floor.NewGossip(b, n, loopback), newThrong(b, n)}
	voters, wall := floor.NewVoters(b, n, ballotSize), make([][]float64, len(ways))
	for turn := range *halls + 2 {
		for i, w := range ways {
			votes, stop := voters.Votes(), floor.Stopwatch(b)
			w.Round(votes)
			if took := stop(); turn >= 2 { // streams open, the mesh settles
				wall[i] = append(wall[i], took.Millis())
			}
			w.Settle()
		}
	}
	for _, h := range ways[2].(*throng).hosts {
		if lost := h.Stats().Drops(); len(lost) > 0 {
			b.Fatalf("lost: %v", lost)
		}
	}
	what := fmt.Sprintf("%d hosts push as many votes, until they are verified and in every journal (no program has so many seats; no vote lost%s), of ", n, where)
	why := fmt.Sprintf("%d journals write one after another what bare hosts forget, on one disk if they are not in memory", n)
	return []floor.Figure{
		against("P5", what+"gossipsub", wall[2], wall[1], ms, 0.5, why),
		against("P5", what+"bare streams", wall[2], wall[0], ms, 1.6, why),
	}
}

// filed is P11: how fast whole decisions are verified from their case files, beside the signatures
// in them.
func filed(b *testing.B) []floor.Figure {
	b.Helper()
	file, err := casetest.File(casetest.Scripts()[0])
	if err != nil {
		b.Fatal(err)
	}
	r, err := reading.File(file)
	if err != nil {
		b.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		b.Fatal(err)
	}
	message := make([]byte, ballotSize)
	signature := ed25519.Sign(private, message)
	var ours, theirs []float64
	for range 10 * *halls {
		start := time.Now()
		for range r.Events() {
			if !ed25519.Verify(public, message, signature) {
				b.Fatal("it does not verify")
			}
		}
		middle := time.Now()
		if report := verify.File(file); !report.OK() {
			b.Fatal(report.String())
		}
		ours, theirs = append(ours, 1/time.Since(middle).Seconds()), append(theirs, 1/middle.Sub(start).Seconds())
	}
	r11 := floor.Ratio(ours, theirs)
	rate := func(v []float64) string { return fmt.Sprintf("%.0f a second", floor.Median(v)) }
	return []floor.Figure{{ID: "P11", What: fmt.Sprintf("case files of %d signed events and %d KiB verified whole, of their signatures alone, one processor", r.Events(), len(file)>>10),
		Here: rate(ours), Floor: rate(theirs), Ratio: r11, Goal: "≥ 0.70", Met: r11 >= 0.7,
		Why: "a node keeps no copy of others' decisions: what it missed is on the chain, and a case file is all of a case, documents, opinions, receipts and draw, not 19 signatures"}}
}
