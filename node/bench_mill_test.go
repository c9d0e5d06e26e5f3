//go:build unix

package node

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/prometheus/client_golang/prometheus"
	"ojud/casefile"
	"ojud/ledger/journal"
	"ojud/ledger/program"
	"ojud/p2p"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// mill is 28 judges with a live round in each of many cases. Each has a whole p2p host, the
// machine, the view and the journal of a node, and the checks and the loop between them. There is
// no chain: its view is constant and shows all commits.
type mill struct {
	b      *testing.B
	seats  []*grinder
	ids    []peer.ID
	number map[voting.Key]int // seat by judge
	votes  [][]byte           // notices; case c and seat s stand at c*seats+s
	start  time.Time
	left   []atomic.Int32 // receivers that do not have a vote on disk yet
	done   []atomic.Int64 // nanoseconds after start when the last receiver stored it
	stored atomic.Int64   // votes on a disk
	last   atomic.Int64   // nanoseconds after start when the last of them was stored
	brake  atomic.Bool    // the control: votes of each third case wait
	fault  chan error     // the first
}

// grinder is one judge of a mill.
type grinder struct {
	mill    *mill
	keys    Keys
	host    *p2p.Host
	machine *voting.Machine
	view    atomic.Pointer[voting.View]
	journal *journal.Journal
	in      chan ground
	over    chan struct{}
	have    map[int]bool // votes on disk; a push may come twice
}

// ground is a checked vote.
type ground struct {
	event voting.Event
	vote  int
}

// now is the time of the chain's clock.
const now = 1_700_000_000

func newMill(b *testing.B, cases int) *mill {
	b.Helper()
	m := &mill{b: b, number: map[voting.Key]int{}, left: make([]atomic.Int32, cases*seats), done: make([]atomic.Int64, cases*seats), fault: make(chan error, 1)}
	for i := range seats {
		g := &grinder{mill: m, keys: NewKeys(p2ptest.Identity(b), keypair(b, byte(i+1))), in: make(chan ground, maxInputs), over: make(chan struct{}), have: map[int]bool{}}
		m.number[g.keys.Judge()] = i
		m.seats = append(m.seats, g)
	}
	looks := m.looks(cases)
	var hosts []*p2p.Host
	for i, g := range m.seats {
		g.begin(i, looks)
		hosts = append(hosts, g.host)
	}
	m.ids = p2ptest.IDs(hosts)
	p2ptest.Mesh(b, hosts)
	p2ptest.Eventually(b, time.Minute, "all links", func() bool { return p2ptest.Links(hosts) == seats*(seats-1)/2 })
	return m
}

// looks signs the votes of all cases and returns the chain's view of them: all have committed, and
// the reveal has begun.
func (m *mill) looks(cases int) (out []voting.Case) {
	m.b.Helper()
	d := voting.Domain{Network: voting.Hash{1}, Program: voting.Key{2}}
	for c := range cases {
		task := caseKey(c)
		look := voting.Case{Task: task, Slot: 1, Status: voting.Revealing, Round: 1, OpenedAt: now - 600, DrawBy: now, CommitEnds: now - 10, RevealEnds: now + 3600,
			Rules: program.DefaultParams().Rules(1_000_000)}
		for i, g := range m.seats {
			opening := voting.Opening{Choice: voting.Accept, Opinion: voting.Hash{byte(c), byte(c >> 8), byte(i)}, Salt: voting.Hash{byte(i), byte(c)}}
			vote, err := casefile.NewVote(d, g.keys.node, casefile.Ballot{Task: task, Round: 1, Judge: g.keys.Judge(), Opening: opening, Model: "code"})
			if err != nil {
				m.b.Fatal(err)
			}
			m.votes = append(m.votes, voting.Vote{Raw: vote.Raw}.Encode())
			look.Seats = append(look.Seats, voting.Seat{Judge: g.keys.Judge(), Peer: g.keys.Peer(), Weight: sol, Committed: true,
				Commitment: d.Commitment(task, 1, g.keys.Judge(), opening)})
		}
		out = append(out, look)
	}
	return out
}

func caseKey(c int) voting.Key { return voting.Key{byte(c >> 8), byte(c), 3} }

// begin starts a judge.
func (g *grinder) begin(i int, looks []voting.Case) {
	b := g.mill.b
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	cfg, id := journal.DefaultConfig(), journal.Identity{Network: voting.Hash{1}, Program: voting.Key{2}}
	cfg.Dir = filepath.Join(b.TempDir(), fmt.Sprint(i))
	var err error
	g.journal, err = journal.Open(cfg, id, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	must(err)
	g.machine, err = voting.New(voting.Config{Domain: voting.Domain{Network: id.Network, Program: id.Program}, Judge: g.keys.Judge(), Peer: g.keys.Peer(),
		Sign: g.keys.Sign, Params: voting.DefaultParams()})
	must(err)
	events := []voting.Event{voting.Restored{At: now}}
	for _, look := range looks {
		events = append(events, voting.CaseSeen{At: now, Case: look})
	}
	must(g.step(events...))
	net := p2ptest.Config(i)
	net.Listen = []string{loopback}
	g.host, err = p2p.New(b.Context(), net, g.keys.Identity, p2p.Deps{})
	must(err)
	must(g.host.HandlePush(voteStream, g.take))
	go g.loop()
	b.Cleanup(func() {
		must(g.host.Close())
		close(g.in)
		<-g.over
		must(g.journal.Close())
	})
}

// take checks a vote on the goroutine of its sender, as Node.consider does.
func (g *grinder) take(_ peer.ID, msg []byte) {
	notice, err := voting.DecodeNotice(msg, casefile.ParseNotice)
	if err == nil {
		var checked voting.Checked
		if checked, err = g.view.Load().Check(voting.Key{}, notice); checked.Usable() {
			task, _, judge := notice.Seat()
			c := int(task[0])<<8 | int(task[1])
			if g.mill.brake.Load() && c%3 == 0 {
				time.Sleep(braked)
			}
			g.in <- ground{voting.NoticeReceived{At: now, Notice: checked}, c*seats + g.mill.number[judge]}
			return
		}
	}
	if fault := (*voting.NoticeError)(nil); !errors.As(err, &fault) || fault.Class != voting.Duplicate {
		g.mill.fail(fmt.Errorf("a vote does not count: %w", err))
	}
}

// loop does the same as Node.loop: all waiting votes share a write.
func (g *grinder) loop() {
	defer close(g.over)
	for first := range g.in {
		all := []ground{first}
		for len(all) < maxBatch && len(g.in) > 0 {
			all = append(all, <-g.in)
		}
		events := make([]voting.Event, len(all))
		for i := range all {
			events[i] = all[i].event
		}
		if err := g.step(events...); err != nil {
			g.mill.fail(err)
			return
		}
		for _, v := range all {
			if !g.have[v.vote] {
				g.have[v.vote] = true
				g.mill.keep(v.vote)
			}
		}
	}
}

// step does the same as Node.step for a judge that only listens.
func (g *grinder) step(events ...voting.Event) error {
	var records []voting.Record
	for _, e := range events {
		effects, err := g.machine.Step(e)
		if err != nil {
			return err
		}
		for _, f := range effects {
			if p, ok := f.(voting.Persist); ok {
				records = append(records, p.Record)
			}
		}
	}
	if len(records) > 0 {
		if err := g.journal.PersistAll(records...); err != nil {
			return err
		}
	}
	g.view.Store(g.machine.View())
	return nil
}

// keep counts a vote that is on a judge's disk.
func (m *mill) keep(vote int) {
	at := int64(time.Since(m.start))
	if m.left[vote].Add(-1) == 0 {
		m.done[vote].Store(at)
	}
	m.stored.Add(1)
	m.last.Store(at)
}

func (m *mill) fail(err error) {
	select {
	case m.fault <- err:
	default:
	}
}
