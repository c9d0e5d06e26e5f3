package oju_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/programs/oju"
	"ojud/test/longtest"
)

var (
	rewrite = flag.Bool("rewrite", false, "write the recording in testdata; needs LiteSVM")
	replay  = flag.Bool("replay", false, "compare with the recording even where LiteSVM is installed")
)

// suite judges the cases of all scenes and records the outcomes in those that agreed.
type suite struct {
	judge   *difftest.Comparison // nil in a replay
	alone   bool                 // no judge: the test itself states the expected results
	runtime *svm.Runtime
	elf     []byte
	tokens  []accounts.Keyed // the token programs, if a scene has them: LiteSVM has its own
	trace   trace
	agreed  int                         // transactions
	seen    map[string]map[outcome]bool // by instruction name
}

// outcome is the result of an instruction of the program: a code, or 0 for success.
type outcome program.Code

func newSuite(t *testing.T) *suite {
	s := &suite{elf: oju.ELF(), seen: map[string]map[outcome]bool{}}
	if *replay && *rewrite {
		t.Fatal("-replay and -rewrite exclude each other")
	}
	// A plain "go test ./..." compares with the recording, which takes a third of the time.
	if !*replay && longtest.Wanted() {
		if judge := difftest.New(t, difftest.Options{Traces: "testdata", Record: *rewrite}); judge.Live() {
			s.judge, s.runtime = judge, judge.Runtime()
			s.trace = trace{ELF: digest(s.elf), Cases: map[string]recorded{}}
			return s
		}
	}
	t.Logf("REPLAY: comparing with what LiteSVM said when %s was recorded", tracePath)
	var err error
	if s.trace, err = readTrace(s.elf); err != nil {
		t.Fatal(err)
	}
	if s.runtime, err = svm.New(svm.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	return s
}

// check compares a case with the judge, and counts the outcomes if all agrees.
func (s *suite) check(t *testing.T, c difftest.Case) {
	t.Helper()
	if s.alone {
		return
	}
	want, err := s.answer(c)
	if err != nil {
		t.Fatal(err)
	}
	ours := c
	ours.Accounts = slices.Concat(s.tokens, c.Accounts)
	got, err := difftest.RunLocal(s.runtime, ours)
	if err != nil {
		t.Fatal(err)
	}
	lines := difftest.Compare(c, want, got)
	for _, line := range lines[:min(len(lines), 12)] {
		t.Errorf("%s: %s", c.Name, line)
	}
	if len(lines) > 0 {
		t.Fatalf("%s: %d differences", c.Name, len(lines))
	}
	s.agreed += len(c.Transactions)
	for i, tx := range c.Transactions {
		s.note(t, c, tx, want.Outcomes[i].Error)
	}
}

func (s *suite) answer(c difftest.Case) (difftest.Report, error) {
	if s.judge == nil {
		return s.trace.find(c)
	}
	if _, ok := s.trace.Cases[c.Name]; ok {
		return difftest.Report{}, fmt.Errorf("two cases are named %s", c.Name)
	}
	report, err := s.judge.RunLite(c)
	s.trace.Cases[c.Name] = recorded{input(c), report}
	return report, err
}

// how names the judge.
func (s *suite) how() string {
	if s.judge == nil {
		return fmt.Sprintf("replayed %d recorded transactions", s.agreed)
	}
	return fmt.Sprintf("judged by litesvm: %d transactions", s.agreed)
}

// TestProgram drives the program through its scenes on both sides.
func TestProgram(t *testing.T) {
	s := newSuite(t)
	for _, group := range []struct {
		name   string
		scenes map[string]func(*scene)
	}{
		{"begin", beginScenes()}, {"admission", admissionScenes()}, {"agents", agentScenes()}, {"tokens", tokenScenes()}, {"pledge", pledgeScenes()}, {"data", dataScenes()}, {"market", marketScenes()},
		{"dispute", disputeScenes()}, {"judges", judgeScenes()}, {"draw", drawScenes()}, {"vote", voteScenes()},
		{"relay", relayScenes()}, {"life", lifeScenes()}, {"slash", slashScenes()}, {"pay", payScenes()}, {"engine", engineScenes()}, {"others", othersScenes()}, {"batch", batchScenes()}, {"siege", siegeScenes()},
	} {
		t.Run(group.name, func(t *testing.T) {
			if group.name == "siege" { // each instruction in every wrong way
				longtest.Only(t)
			}
			for _, name := range sorted(group.scenes) {
				t.Run(name, func(t *testing.T) {
					sc := bare(t, s, group.name+"/"+name)
					group.scenes[name](sc)
					sc.flush()
				})
			}
		})
	}
	t.Log(s.how())
	if t.Failed() {
		return
	}
	if longtest.Wanted() { // the table needs all scenes
		s.table(t)
	}
	if *rewrite && !t.Failed() {
		if err := s.trace.write(); err != nil {
			t.Fatal(err)
		}
	}
}
