package why_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/node/why"
	"ojud/voting"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files")

// filed is a case that was played to its end, and the content of its file.
type filed struct {
	world  *casetest.World
	record *reading.Record
	proof  string
}

// script returns the file of a script of package casetest, with fewer judges, made once.
var script = func() func(testing.TB, string) filed {
	var mu sync.Mutex
	made := map[string]filed{}
	return func(t testing.TB, name string) filed {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if f, ok := made[name]; ok {
			return f
		}
		all := casetest.Scripts()
		s := all[slices.IndexFunc(all, func(s casetest.Script) bool { return s.Name == name })]
		s.Judges = map[string]int{"minority": 14, "second": 32}[name]
		if s.Judges == 0 {
			s.Judges = 7
		}
		w, err := casetest.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		file, err := w.Export()
		if err != nil {
			t.Fatal(err)
		}
		r, err := reading.File(file)
		if err != nil {
			t.Fatal(err)
		}
		report, proof := verify.File(file), ""
		if !report.OK() {
			proof = report.String()
		}
		made[name] = filed{w, &r, proof}
		return made[name]
	}
}()

// seat returns the judge that was drawn as the n-th of a round, from 0.
func (f filed) seat(round, n int) casefile.Address {
	d := f.record.Rounds[round-1].Draw.Value
	i := slices.IndexFunc(d.Candidates, func(c casefile.Candidate) bool { return c.Index == d.Seats[n] })
	return d.Candidates[i].Judge
}

// undrawn returns a judge that could be drawn in a round and was not.
func (f filed) undrawn(round int) casefile.Address {
	d := f.record.Rounds[round-1].Draw.Value
	i := slices.IndexFunc(d.Candidates, func(c casefile.Candidate) bool { return !slices.Contains(d.Seats, c.Index) })
	return d.Candidates[i].Judge
}

// facts returns the facts of the file alone.
func (f filed) facts(judge casefile.Address) why.Facts {
	return why.Facts{Case: f.record.Case, Judge: judge, Record: f.record, Proof: f.proof, Source: "case.json"}
}

// owned returns the facts of the file on the judge's own node. The node ran all the time and wrote
// these entries down.
func (f filed) owned(judge casefile.Address, entries ...why.LogEntry) why.Facts {
	facts, d := f.facts(judge), f.record.Rounds[0].Draw.Value
	facts.Own = &why.Own{Running: true, Uptime: why.Uptime{Spans: []why.Span{{From: d.At - 3600, Until: d.At + 7200}}}}
	for _, e := range entries {
		facts.Own.Log.Note(d.At+e.At, e)
	}
	return facts
}

// watched replaces the times when the node ran.
func watched(f why.Facts, spans ...why.Span) why.Facts {
	at := f.Record.Rounds[0].Draw.Value.At
	f.Own.Uptime = why.Uptime{}
	for _, s := range spans {
		f.Own.Uptime.Spans = append(f.Own.Uptime.Spans, why.Span{From: at + s.From, Until: at + s.Until, Blind: s.Blind})
	}
	return f
}

func entry(at int64, deed why.Deed, what, how, text string) why.LogEntry {
	return why.LogEntry{At: at, Round: 1, Deed: deed, What: what, How: how, Text: text}
}

// looked returns a case as the chain shows it, in its first round, with 3 seats.
func looked(judge casefile.Address, status voting.Status, change func(*voting.Case)) why.Facts {
	c := voting.Case{
		Task: casetest.Key("task"), Slot: 77, Status: status, Round: 1, DrawnSlot: 12, SeedSlot: 10, DrawBy: 1_760_001_800, CommitEnds: 1_760_000_420, RevealEnds: 1_760_000_600, Rules: casetest.Rules(),
	}
	for i := range 3 {
		c.Seats = append(c.Seats, voting.Seat{Judge: casetest.Key("judge:%d", i), Peer: casetest.Key("peer:%d", i), Weight: 2_000_000_000})
	}
	c.Seats[1].Judge = voting.Key(judge)
	if change != nil {
		change(&c)
	}
	return why.Facts{Case: casefile.Address(c.Task), Judge: judge, Look: &c, Now: 1_760_000_100, Source: "this node", Own: &why.Own{Running: true}}
}

// TestExplain: each possible fate of a judge has words, which the golden files show, and codes for
// programs.
func TestExplain(t *testing.T) {
	minority, second, equivocation, late := script(t, "minority"), script(t, "second"), script(t, "equivocation"), script(t, "late")
	undecided, expired, data := script(t, "undecided"), script(t, "expired"), script(t, "data")
	me := casefile.Address(casetest.Key("me"))
	cast, asked := entry(60, why.Cast, "accept", "", ""), entry(1, why.Asked, "1760000377", "", "")
	sent := func(at int64, op, how, text string) why.LogEntry { return entry(at, why.Sent, op, how, text) }
	for _, c := range []struct {
		name  string
		facts why.Facts
		codes string // of the round or of the case, without the last two: how the case ended, and whether the file verifies
	}{
		{"no case", why.Facts{Case: minority.record.Case, Judge: me, Own: &why.Own{Running: true}}, "no_case"},
		{"no case, no node", why.Facts{Case: minority.record.Case, Judge: me, Source: "case.json"}, "no_case"},
		{"not on the roster", minority.owned(me, entry(0, why.PassedOver, "", why.NoEntry, "the roster had 28 judges")), "ineligible"},
		{"leaving", minority.owned(me, entry(0, why.PassedOver, "", why.Leaving, "it was exiting")), "ineligible"},
		{"stake too fresh", minority.owned(me, entry(0, why.PassedOver, "", why.Fresh, "0 lamports before slot 77; the least is 1000000000")), "ineligible"},
		{"stake too small", minority.owned(me, entry(0, why.PassedOver, "", why.LowStake, "5 lamports; the least is 1000000000")), "ineligible"},
		{"operator is a party", minority.owned(me, entry(0, why.PassedOver, "", why.IsParty, "its operator X is a party")), "excluded"},
		{"party", minority.facts(minority.record.Open.Value.Task.Worker), "excluded"},
		{"no candidate", minority.facts(me), "ineligible"},
		{"not drawn", second.facts(second.undrawn(1)), "not_drawn drawn opinion committed revealed majority decided proven"},
		{"majority", minority.owned(minority.seat(1, 9), asked, cast, sent(63, "commit", why.Landed, ""), sent(425, "reveal", why.Landed, ""), sent(640, "claim", why.Landed, "")),
			"drawn opinion committed revealed majority claimed"},
		{"majority, relayed", minority.owned(minority.seat(1, 9), asked, cast, sent(63, "commit", why.Landed, "")), "drawn opinion committed revealed majority unclaimed"},
		{"minority", minority.facts(minority.seat(1, 0)), "drawn opinion committed revealed minority"},
		{"abstained", minority.facts(minority.seat(1, 3)), "drawn opinion committed revealed abstention"},
		{"abstained for want of data", data.owned(data.seat(1, 2), asked, entry(370, why.Abstained, "", "", "no opinion in time"), entry(370, why.Failed, "", "", "model: down\x1b[31m")),
			"drawn no_opinion no_opinion no_opinion opinion committed revealed abstention"},
		{"not revealed", minority.facts(minority.seat(1, 4)), "drawn committed unrevealed unexplained absent"},
		{"not revealed, node ended", watched(minority.owned(minority.seat(1, 4), asked, entry(50, why.Thought, "accept", "", "it fits"), cast, sent(63, "commit", why.Landed, "")), why.Span{From: -600, Until: 300}, why.Span{From: 7000, Until: 7060}),
			"drawn opinion committed unrevealed down absent"},
		{"silent, by the file", minority.facts(minority.seat(1, 2)), "drawn uncommitted unexplained absent"},
		{"silent, node down", watched(minority.owned(minority.seat(1, 2)), why.Span{From: -600, Until: -100}, why.Span{From: 4000, Until: 4060}), "drawn uncommitted down absent"},
		{"silent, never came back", watched(minority.owned(minority.seat(1, 2)), why.Span{From: -600, Until: -100}), "drawn uncommitted down absent"},
		{"silent, no blocks", watched(minority.owned(minority.seat(1, 2), asked), why.Span{From: -600, Until: 30}, why.Span{From: 900, Until: 960, Blind: true}), "drawn uncommitted blind absent"},
		{"silent, no lamports", minority.owned(minority.seat(1, 2), asked, cast, sent(61, "commit", why.NoFunds, "not enough lamports"), sent(69, "commit", why.NoFunds, "not enough lamports")), "drawn uncommitted unpaid absent"},
		{"silent, refused", minority.owned(minority.seat(1, 2), asked, cast, sent(61, "commit", why.Refused, "NotSeated")), "drawn uncommitted rejected absent"},
		{"silent, not sent", minority.owned(minority.seat(1, 2), asked, cast, sent(61, "commit", why.NotSent, "the RPC node does not answer")), "drawn uncommitted lost absent"},
		{"silent, in vain", minority.owned(minority.seat(1, 2), asked, cast, sent(419, "commit", why.InVain, "gave_up")), "drawn uncommitted lost absent"},
		{"silent, no opinion", minority.owned(minority.seat(1, 2), asked, entry(370, why.Failed, "", "", "the disk is full")), "drawn no_opinion uncommitted absent"},
		{"silent, twin", minority.owned(minority.seat(1, 2), asked, entry(9, why.Twin, "", "", "another statement")), "drawn uncommitted doubled absent"},
		{"silent, asked only", minority.owned(minority.seat(1, 2), asked), "drawn uncommitted unexplained absent"},
		{"silent, cast only", minority.owned(minority.seat(1, 2), asked, cast), "drawn uncommitted unexplained absent"},
		{"silent, nothing kept", watched(minority.owned(minority.seat(1, 2)), why.Span{From: 5000, Until: 5060}), "drawn uncommitted unexplained absent"},
		{"equivocated", equivocation.owned(equivocation.seat(1, 0), entry(300, why.Shown, "1000000000", "", "")), "drawn committed equivocated decided proven"},
		{"shown later", late.facts(late.seat(1, 1)), "drawn opinion committed revealed void void equivocated drawn uncommitted unexplained void absent decided proven"},
		{"undecided", undecided.facts(undecided.seat(1, 1)), "drawn opinion committed revealed void void"},
		{"expired", expired.facts(expired.seat(1, 0)), "drawn opinion committed revealed void abstention"},
		{"waits for a draw", looked(me, voting.AwaitingDraw, func(c *voting.Case) { c.Seats = nil }), "wait_draw"},
		{"waits for commitments", looked(me, voting.Committing, func(c *voting.Case) { c.Seats[0].Committed = true }), "drawn wait_commit wait_commit"},
		{"waits for votes", looked(me, voting.Revealing, func(c *voting.Case) { c.Seats[1].Committed = true }), "drawn committed wait_reveal wait_reveal"},
		{"waits to be settled", func() why.Facts {
			f := looked(me, voting.Revealing, func(c *voting.Case) { c.Seats[1].Committed = true })
			f.Now = 1_760_000_700
			return f
		}(), "drawn committed unrevealed unexplained wait_settle"},
		{"runs without this judge", looked(me, voting.Committing, func(c *voting.Case) { c.Seats[1].Judge[0]++ }), "not_drawn wait_commit"},
		{"stopped", why.Facts{Case: minority.record.Case, Judge: me, Own: &why.Own{Log: why.EventLog{Entries: []why.LogEntry{{Round: 1, Deed: why.Asked, At: 5, Last: 5, Times: 1}}}}}, "drawn pending pending pending stopped"},
		{"stopped after the commit", why.Facts{Case: minority.record.Case, Judge: me, Own: &why.Own{Log: why.EventLog{Entries: []why.LogEntry{{Round: 1, Deed: why.Asked, At: 5, Last: 5, Times: 1},
			{Round: 1, Deed: why.Sent, What: "commit", How: why.Landed, At: 50, Last: 50, Times: 1}}}}}, "drawn committed pending pending stopped"},
		{"elsewhere", why.Facts{Case: minority.record.Case, Judge: me, Own: &why.Own{Log: why.EventLog{Entries: []why.LogEntry{{Round: 1, Deed: why.Twin, At: 5, Last: 5, Times: 1}}}}}, "undrawn stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := why.Explain(c.facts)
			var codes []string
			for _, l := range a.Lines {
				codes = append(codes, string(l.Code))
				if l.Text == "" || l.Fact == "" {
					t.Errorf("a line without text or fact: %+v", l)
				}
			}
			if got := strings.Join(codes, " "); !strings.HasPrefix(got, c.codes) || strings.Contains(got, "unproven") {
				t.Errorf("%s\nwant %s", got, c.codes)
			}
			golden(t, c.name, a)
		})
	}
}

// TestTestimonyComes: a record that lacks only testimony asks for patience instead of finding
// fault. A file that does not verify names the command that checks it. Only shortly after the end
// the answer expects that rewards are still collected. How long a commitment was early is measured
// to the end that the rules gave, even if the chain shows an earlier one because all committed.
func TestTestimonyComes(t *testing.T) {
	minority := script(t, "minority")
	f := minority.owned(minority.seat(1, 9), entry(60, why.Cast, "accept", "", ""), entry(63, why.Sent, "commit", why.Landed, ""))
	draw := f.Record.Rounds[0].Draw.Value
	settled := f.Record.Rounds[0].Settle.Value.At
	f.Proof = "check testimony: no seat testifies"
	f.Look = &voting.Case{Task: voting.Key(f.Case), Status: voting.Decided, Verdict: voting.ForWorker, Round: 1, SettledAt: settled, CommitEnds: draw.At + 64,
		Rules: casetest.Rules(), Seats: []voting.Seat{
			{Judge: voting.Key(f.Judge), Committed: true, Revealed: true, Choice: voting.Accept, Result: voting.Majority, Weight: 1, Earned: 7},
		}}
	early := fmt.Sprintf("%s before the end", time.Duration(draw.CommitEnds-draw.At-63)*time.Second)
	for _, c := range []struct {
		pending bool
		file    string
		wait    int64
		says    []string
		not     string
	}{
		{true, "", 20, []string{"testimony is still coming; ask again in a minute", "has not yet", "in a minute: ojud case why", early}, "does not verify"},
		{true, "a.json", why.TestimonySeconds, []string{"testimony is still coming", "wrote down nothing of collecting", "ojud case export"}, "does not verify"},
		{false, "a.json", 20, []string{"does not verify", "ojud case verify a.json"}, "still coming"},
		{false, "", 20, []string{"does not verify", "ojud case export"}, "still coming"},
	} {
		f.Pending, f.File, f.Now = c.pending, c.file, settled+c.wait
		said := fmt.Sprint(why.Explain(f).Lines)
		for _, text := range c.says {
			if !strings.Contains(said, text) {
				t.Errorf("%+v: it does not say %q: %s", c, text, said)
			}
		}
		if strings.Contains(said, c.not) {
			t.Errorf("%+v: it says %q: %s", c, c.not, said)
		}
	}
}

// golden compares an answer with the file that shows it to people.
func golden(t *testing.T, name string, a why.Explanation) {
	t.Helper()
	var b strings.Builder
	for _, l := range a.Lines {
		fmt.Fprintf(&b, "%d %s\n  %s\n  by %s\n", l.Round, l.Code, l.Text, l.Fact)
		if l.Next != "" {
			fmt.Fprintf(&b, "  next %s\n", l.Next)
		}
	}
	shown := regexp.MustCompile("[0-9a-f]{16}…").ReplaceAllString(b.String(), "HASH…") // other tests may change the hashed text
	path := filepath.Join("testdata", strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")+".txt")
	if *rewrite {
		if err := os.WriteFile(path, []byte(shown), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if shown != string(want) {
		t.Errorf("%s differs; look at it, and then: go test ./node/why -rewrite\n%s", path, shown)
	}
}
