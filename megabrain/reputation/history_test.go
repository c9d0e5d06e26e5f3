package reputation_test

import (
	"strings"
	"testing"

	"ojud/megabrain/reputation"
)

const log = `{"near":{"maths":["physics"]},"events":[
{"at":1,"agent":"ada","role":"worker","class":"maths","passed":true},
{"at":2,"agent":"ada","role":"worker","class":"maths","outcome":"good"},
{"at":2,"agent":"eve","role":"evaluator","class":"maths","seen":[{"right":true,"score":85},{"right":false,"score":85}]},
{"at":3,"agent":"fay","role":"evaluator","class":"maths","seen":[{"right":true,"score":80},{"right":false,"score":20}]},
{"at":4,"agent":"gus","role":"evaluator","class":"maths","vouched_by":"fay","stake":"1000","share_bps":2000},
{"at":5,"agent":"gus","role":"evaluator","class":"maths","agrees_with":"fay"}]}`

// TestLog: a log of events says where each agent stands.
func TestLog(t *testing.T) {
	l, err := reputation.ReadHistory([]byte(log))
	if err != nil {
		t.Fatal(err)
	}
	at, lost, err := l.Play()
	if err != nil || len(at) != 4 || len(lost) != 0 {
		t.Fatalf("%+v %+v %v", at, lost, err)
	}
	ada, eve, fay, gus := at[0], at[1], at[2], at[3]
	if ada.Value <= 1000 || eve.Alarm != 3 || fay.Alarm != 0 || gus.Value <= eve.Value || fay.Value <= eve.Value {
		t.Errorf("%+v", at)
	}
	for _, k := range []struct{ old, changed, want string }{
		{`"at":1`, `"at":9`, "order of time"},
		{`"role":"worker"`, `"role":"judge"`, "worker or evaluator"},
		{`"outcome":"good"`, `"outcome":"fine"`, "good, failed"},
		{`"outcome":"good"`, `"outcome":"good","passed":true`, "exactly one"},
		{`"score":20`, `"score":101`, "0 to 100"},
		{`"right":false,"score":20`, `"right":true,"score":20`, "both right and wrong"},
		{`"agent":"ada"`, `"agent":""`, "empty"},
		{`["physics"]`, `["maths"]`, "names itself"},
		{`{"near"`, `{"constants":{"doubt":0},"near"`, "doubt"},
		{`]}`, `]}{}`, ""},
	} {
		if _, err := reputation.ReadHistory([]byte(strings.Replace(log, k.old, k.changed, 1))); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v, want %q", k.changed, err, k.want)
		}
	}
	l.Events = append(l.Events, reputation.Deed{At: 6, Agent: "gus", Role: reputation.Evaluator, Ends: "fay"})
	if _, _, err := l.Play(); err != nil {
		t.Error(err)
	}
	l.Events = append(l.Events, l.Events[4])
	if _, _, err := l.Play(); err == nil {
		t.Error("a second voucher for one agent is taken")
	}
}

// FuzzReadHistory: whatever a stranger writes is refused or played, and no value is outside its
// range.
func FuzzReadHistory(f *testing.F) {
	f.Add([]byte(log))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := reputation.ReadHistory(raw)
		if err != nil {
			return
		}
		at, _, err := l.Play()
		if err != nil {
			return
		}
		for _, s := range at {
			if s.Value < 0 || s.Value > reputation.Whole {
				t.Fatalf("%+v", s)
			}
		}
	})
}
