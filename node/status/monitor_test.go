package status

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/webhook"
	"ojud/voting"
)

// untold tells nobody.
func untold(webhook.Notification) {}

// ledgerOf has a balance and a Roster.
type ledgerOf struct {
	chain
	lamports uint64
	least    uint64 // stake
	next     *program.Rules
	mu       sync.Mutex
	roster   program.Roster
	entry    Admission
}

func (l *ledgerOf) Admission(context.Context, voting.Key) (Admission, error) { return l.entry, nil }

func (l *ledgerOf) Balance(context.Context, voting.Key) (uint64, error) { return l.lamports, nil }

func (l *ledgerOf) Roster(context.Context) (*program.Roster, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.roster
	return &now, nil
}

func (l *ledgerOf) Law(context.Context) (*law.Rules, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &law.Rules{Config: &program.Config{}, Now: &program.Rules{Number: 1, Params: program.Params{MinStake: 2 * l.least}}, Next: l.next}, nil
}

// TestStakeBelowTheDraw: a judge that was slashed below the least stake is never drawn. It learns
// that, and how much to add so that the next loss does not unseat it again.
func TestStakeBelowTheDraw(t *testing.T) {
	l := &ledgerOf{lamports: 10, least: onchain.LamportsPerSOL}
	l.roster.Entries = []program.RosterEntry{{State: program.EntryActive, Stake: 995_000_000}}
	m := NewMonitor(Checker{Chain: l, MinBalance: 5}, slog.New(slog.DiscardHandler), untold)
	m.again(t.Context())
	p := strings.Join(m.Problems(), "\n")
	for _, want := range []string{"0.995 SOL at stake", "from 1 SOL on", "ojud judge top-up 0.255sol"} {
		if !strings.Contains(p, want) {
			t.Errorf("%q does not say %q", p, want)
		}
	}
	l.roster.Entries[0].Stake = onchain.LamportsPerSOL
	if m.again(t.Context()); len(m.Problems()) != 0 {
		t.Errorf("with the least stake: %q", m.Problems())
	}
}

// TestFirstSeason: a judge that has a stake, but no weight yet, is told when it is drawn. It need
// do nothing, so this is no problem.
func TestFirstSeason(t *testing.T) {
	l := &ledgerOf{lamports: 10, least: onchain.LamportsPerSOL}
	l.roster.SeasonAt = 1_800_000_000
	l.roster.Entries = []program.RosterEntry{{State: program.EntryActive, Stake: onchain.LamportsPerSOL}}
	rules, err := l.Law(t.Context())
	rules.Now.SeasonSeconds = 3600
	const waits = "drawn from the next season on, which may begin at 2027-01-15 09:00"
	if f := (Checker{Chain: l}).stake(t.Context(), rules, err); !f.OK || !strings.Contains(f.Detail, waits) {
		t.Errorf("it waits: %+v", f)
	}
	l.roster.Entries[0].Weight, l.roster.Entries[0].Owned = 1, program.OwnWeight
	if f := (Checker{Chain: l}).stake(t.Context(), rules, err); !f.OK || strings.Contains(f.Detail, "season") {
		t.Errorf("it has a weight: %+v", f)
	}
}

// TestAdmission: each state of a court and a judge has words of its own. Only a judge that can
// neither sit nor join has a problem, and it learns who can solve it.
func TestAdmission(t *testing.T) {
	seat := []program.RosterEntry{{State: program.EntryActive, Stake: onchain.LamportsPerSOL}}
	for _, c := range []struct {
		name     string
		entry    Admission
		entries  []program.RosterEntry
		ok       bool
		says, do string
	}{
		{"open", Admission{}, nil, true, "open: anyone may join", ""},
		{"admitted", Admission{Listed: true, Admitted: true}, nil, true, "has admitted this judge", ""},
		{"revoked", Admission{Listed: true}, seat, true, "cannot join again", ""},
		{"missing", Admission{Listed: true, Ask: "ask X to run: ojud court admit Y"}, nil, false, "has not admitted", "ojud court admit Y"},
	} {
		l := &ledgerOf{entry: c.entry}
		l.roster.Entries = c.entries
		f := Checker{Chain: l}.admission(t.Context())
		if f.OK != c.ok || !strings.Contains(f.Detail, c.says) || !strings.Contains(f.Next, c.do) {
			t.Errorf("%s: %+v", c.name, f)
		}
		law, err := l.Law(t.Context())
		s := Checker{Chain: l}.stake(t.Context(), law, err)
		if c.entries == nil && strings.Contains(s.Next, "ojud court admit") == c.ok || !s.OK && !strings.Contains(s.Next, "ojud judge register") {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

// lockedLog keeps a log that is read while others write.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestMonitor: a node off the Roster says so once, again every hour, and in its problems. When it
// is on the Roster, it says that once.
func TestMonitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lockedLog
		judge, node := voting.Key{1}, voting.Key{2}
		l := &ledgerOf{lamports: 10}
		m := NewMonitor(Checker{Chain: l, Judge: judge, Peer: node, MinBalance: 5}, slog.New(slog.NewTextHandler(&log, nil)), untold)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- m.Run(ctx) }()
		said := func() int { return strings.Count(log.String(), "is not on the roster") }
		for hour, want := range []int{1, 2, 3} {
			time.Sleep(time.Minute)
			synctest.Wait()
			if p := strings.Join(m.Problems(), "\n"); said() != want || !strings.Contains(p, "is not on the roster") || !strings.Contains(p, "ojud judge register") {
				t.Errorf("in hour %d: said %d times, want %d; %s", hour, said(), want, p)
			}
			time.Sleep(time.Hour - time.Minute)
		}
		l.mu.Lock()
		l.roster.Entries = []program.RosterEntry{{Authority: [32]byte(judge), Peer: node, State: program.EntryActive, Stake: 7}}
		l.mu.Unlock()
		m.CheckNow()
		synctest.Wait()
		if p := m.Problems(); len(p) != 0 || strings.Count(log.String(), "0.000000007 SOL at stake") != 1 {
			t.Errorf("%v\n%s", p, log.String())
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestMonitorDisk: a disk without room is a problem with a remedy, until there is room again.
func TestMonitorDisk(t *testing.T) {
	var log lockedLog
	full := error(nil)
	l := &ledgerOf{lamports: 10, roster: program.Roster{Entries: []program.RosterEntry{{State: program.EntryActive, Stake: 7}}}}
	m := NewMonitor(Checker{Chain: l, MinBalance: 5, Disk: func() error { return full }}, slog.New(slog.NewTextHandler(&log, nil)), untold)
	for _, c := range []struct {
		err  error
		want int
	}{{nil, 0}, {errors.New("2 MiB are free"), 1}, {nil, 0}} {
		full = c.err
		well, p := m.again(t.Context()), m.Problems()
		if well != (c.want == 0) || len(p) != c.want || c.want > 0 && (!strings.Contains(p[0], "2 MiB") || !strings.Contains(p[0], "free some space")) {
			t.Errorf("disk error %v: well %v, problems %q", c.err, well, p)
		}
	}
}

// TestMonitorContent: live cases that fill most of the quota are a problem with a remedy.
func TestMonitorContent(t *testing.T) {
	kept := Content{Bytes: 90 << 20, Quota: 100 << 20, Cases: 79 << 20, Refused: 3}
	l := &ledgerOf{lamports: 10, roster: program.Roster{Entries: []program.RosterEntry{{State: program.EntryActive, Stake: 7}}}}
	m := NewMonitor(Checker{Chain: l, MinBalance: 5, Content: func() Content { return kept }}, slog.New(slog.DiscardHandler), untold)
	for _, want := range []int{0, 1} {
		if m.again(t.Context()); len(m.Problems()) != want {
			t.Errorf("%d MiB of live cases: %q", kept.Cases>>20, m.Problems())
		}
		kept.Cases = 80 << 20
	}
	if p := m.Problems(); len(p) == 1 && (!strings.Contains(p[0], "80 MiB that of live cases; since the start there was no room for 3 documents") ||
		!strings.Contains(p[0], "raise blobs.quota_bytes")) {
		t.Errorf("%q", p)
	}
}

// TestMonitorRules: a judge hears once of rules that are announced, with what changes for judges,
// from when, and how to leave before. An announcement is no problem of the node.
func TestMonitorRules(t *testing.T) {
	var log lockedLog
	l := &ledgerOf{lamports: 10, least: onchain.LamportsPerSOL}
	l.roster.Entries = []program.RosterEntry{{State: program.EntryActive, Stake: onchain.LamportsPerSOL}}
	m := NewMonitor(Checker{Chain: l, MinBalance: 5}, slog.New(slog.NewTextHandler(&log, nil)), untold)
	if m.again(t.Context()); log.String() != "" || m.Rules() != (RulesState{InForce: 1}) {
		t.Errorf("without an announcement: %s %+v", log.String(), m.Rules())
	}
	l.next = &program.Rules{Number: 2, From: 1_800_000_000, Params: program.Params{MinStake: 4 * onchain.LamportsPerSOL, VerifySeconds: 9}}
	for range 3 {
		if !m.again(t.Context()) || len(m.Problems()) != 0 {
			t.Errorf("an announcement is a problem: %q", m.Problems())
		}
	}
	if m.Rules() != (RulesState{InForce: 1, Announced: 2, From: 1_800_000_000}) {
		t.Errorf("%+v", m.Rules())
	}
	said := log.String()
	for _, want := range []string{"level=WARN", "version 2 is announced", "2027-01-15 08:00 UTC", "min_stake rises from 2 SOL to 4 SOL", "ojud judge exit", "for creators and workers, 1 of the values"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is not said once:\n%s", want, said)
		}
	}
	if strings.Contains(said, "verify_seconds") {
		t.Errorf("it tells judges of what does not concern them: %s", said)
	}
}

// TestMonitorRulesSwapped: rules that are withdrawn and followed by harsher ones under the same
// number are told again, also if both are in force at the same time.
func TestMonitorRulesSwapped(t *testing.T) {
	var log lockedLog
	l := &ledgerOf{lamports: 10, least: onchain.LamportsPerSOL}
	l.roster.Entries = []program.RosterEntry{{State: program.EntryActive, Stake: onchain.LamportsPerSOL}}
	m := NewMonitor(Checker{Chain: l, MinBalance: 5}, slog.New(slog.NewTextHandler(&log, nil)), untold)
	for _, stake := range []uint64{4, 4, 8} {
		l.next = &program.Rules{Number: 2, From: 1_800_000_000, Params: program.Params{MinStake: stake * onchain.LamportsPerSOL}}
		m.again(t.Context())
	}
	l.next = nil
	m.again(t.Context())
	m.again(t.Context())
	said := log.String()
	for _, want := range []string{"from 2 SOL to 4 SOL", "from 2 SOL to 8 SOL", "version 2, which was announced, is withdrawn; version 1 is in force"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%q is not said once:\n%s", want, said)
		}
	}
}

// again checks as after a while, when the rules are read again.
func (m *Monitor) again(ctx context.Context) bool {
	m.read = time.Time{}
	return m.check(ctx)
}
