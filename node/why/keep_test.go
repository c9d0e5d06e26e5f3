package why

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"ojud/casefile"
)

// TestEventLog: an event log counts repetitions and always stays small.
func TestEventLog(t *testing.T) {
	var d EventLog
	e := LogEntry{Round: 1, Deed: Sent, What: "commit", How: NoFunds, Text: "no lamports"}
	for i := range int64(5) {
		if !d.Note(100+i, e) {
			t.Error("what happened again is not kept")
		}
	}
	if len(d.Entries) != 1 || d.Entries[0].At != 100 || d.Entries[0].Last != 104 || d.Entries[0].Times != 5 {
		t.Errorf("%+v", d)
	}
	if d.Note(90, e); d.Entries[0].Last != 104 {
		t.Error("a clock that goes back takes the last time with it")
	}
	for i := range 3 * maxEntries {
		d.Note(200, LogEntry{Round: 2, Deed: Failed, What: strings.Repeat("w", 1000), Text: fmt.Sprint(i) + strings.Repeat("<é\x00\xff\"\\", 1000)})
	}
	if len(d.Entries) != maxEntries || d.Lost != 2*maxEntries+1 {
		t.Errorf("%d entries, %d lost", len(d.Entries), d.Lost)
	}
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeEventLog(raw)
	if err != nil || !reflect.DeepEqual(back, d) {
		t.Errorf("%v\n%+v\n%+v", err, back, d)
	}
	for _, e := range d.Entries {
		if len(e.Text) > maxText || len(e.What) > maxWord || !utf8.ValidString(e.Text) {
			t.Errorf("%q", e.Text)
		}
	}
	if d.Note(1, LogEntry{Deed: Twin}) {
		t.Error("what does not fit is written again and again")
	}
	if d, err := DecodeEventLog(nil); err != nil || len(d.Entries) != 0 {
		t.Errorf("no bytes: %+v, %v", d, err)
	}
	if _, err := DecodeEventLog(make([]byte, maxEventLog+1)); err == nil {
		t.Error("an event log of any size is read")
	}
}

// TestQuoted: quoted text of others has no character that controls a terminal.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb":             `"a\x1b[31mb"`,
		"\u202eevil\u2066":       `"\u202eevil\u2066"`,
		strings.Repeat("é", 200): `"` + strings.Repeat("é", 148) + `…"`,
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}

// TestUptime: an Uptime tells when the node did not run and when it saw no blocks.
func TestUptime(t *testing.T) {
	var w Uptime
	w.Begin(1000)
	for at := int64(1060); at <= 2000; at += UptimeEvery {
		w.Tick(at)
	}
	w.Tick(2000)
	w.Tick(1900) // a rollback of the clock
	w.Tick(3000) // blind before
	w.Tick(3060)
	w.Begin(5000)
	w.Tick(5060)
	want := []Span{{From: 1000, Until: 2000}, {From: 3000, Until: 3060, Blind: true}, {From: 5000, Until: 5060}}
	if !reflect.DeepEqual(w.Spans, want) {
		t.Fatalf("%+v", w.Spans)
	}
	for _, c := range []struct {
		from, until int64
		gaps        []gap
	}{
		{1100, 1900, nil},
		{0, 900, nil}, // before anything is known
		{2100, 2500, []gap{{2000, 3000, true, false}}},
		{1500, 4000, []gap{{2000, 3000, true, false}, {3060, 5000, false, false}}},
		{3060, 5000, []gap{{3060, 5000, false, false}}},
		{5060, 5100, nil}, // it may still run
		{5060, 9000, []gap{{5060, 9000, false, true}}},
	} {
		if got := w.gaps(c.from, c.until); !reflect.DeepEqual(got, c.gaps) {
			t.Errorf("from %d to %d: %+v, want %+v", c.from, c.until, got, c.gaps)
		}
	}
	if w.covers(999) || !w.covers(1000) {
		t.Error("covers")
	}
	for i := range int64(3 * maxSpans) {
		w.Begin(1<<62 + i)
	}
	raw, err := w.Encode()
	if err != nil || len(raw) > maxUptime || len(w.Spans) != maxSpans {
		t.Fatalf("%d bytes, %d spans, %v", len(raw), len(w.Spans), err)
	}
	if back, err := DecodeUptime(raw); err != nil || !reflect.DeepEqual(back, w) {
		t.Errorf("%v", err)
	}
}

// TestChance: the stated chance is that of the draw. Of two judges with weights of 1 and 3 the
// first gets the one seat in a quarter of draws.
func TestChance(t *testing.T) {
	fact := func(seats uint8, weights ...casefile.Amount) casefile.DrawFact {
		d := casefile.DrawFact{PanelSeats: seats, MinSeats: 1}
		for i, w := range weights {
			d.Candidates = append(d.Candidates, casefile.Candidate{Index: uint16(i), Judge: casefile.Address{byte(i + 1)}, Weight: w})
		}
		return d
	}
	e := &explainer{f: Facts{Judge: casefile.Address{1}}}
	for want, d := range map[string]casefile.DrawFact{
		"all 2 who could be drawn were": fact(2, 1, 3),
		"1 of the 4 who could be drawn were, each with the same chance, as all weigh the same": fact(1, 7, 7, 7, 7),
	} {
		if got := e.chance(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var percent, hits, of int
	text := e.chance(fact(1, 1, 3))
	if _, err := fmt.Sscanf(text, "1 of the 2 who could be drawn were, by weight, and its chance was about %d %% (%d of %d draws", &percent, &hits, &of); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if of != draws || hits < draws/4-5*14 || hits > draws/4+5*14 || percent != (hits*100+of/2)/of { // 14: the standard deviation
		t.Error(text)
	}
}

func FuzzEventLog(f *testing.F) {
	f.Add([]byte(`{"entries":[{"round":1,"deed":"sent","what":"commit","how":"nofunds","text":"x","at":5,"last":6,"times":2}],"lost":1}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := DecodeEventLog(raw)
		if err != nil {
			return
		}
		d.Note(1, LogEntry{Round: 1, Deed: Asked})
		if len(d.Entries) > maxEntries {
			t.Errorf("%d entries", len(d.Entries))
		}
		if _, err := d.Encode(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzUptime(f *testing.F) {
	f.Add([]byte(`{"spans":[{"from":1,"until":5},{"from":9,"until":8,"blind":true}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		w, err := DecodeUptime(raw)
		if err != nil {
			return
		}
		w.gaps(0, 1<<40)
		w.Tick(5)
		if len(w.Spans) > maxSpans {
			t.Errorf("%d spans", len(w.Spans))
		}
	})
}
