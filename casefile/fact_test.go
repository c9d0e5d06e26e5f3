package casefile_test

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/verify"
	"ojud/voting"
)

// The facts of one case, as every node has to write them.
func TestFactsGolden(t *testing.T) {
	w, all := events(t, small)
	for _, e := range all[:7] {
		hash := strings.Trim(strings.SplitAfter(string(e.Body), `"facts":`)[len(strings.SplitAfter(string(e.Body), `"facts":`))-1], `"}`)
		hash, _, _ = strings.Cut(hash, `"`)
		var digest casefile.Digest
		if digest.UnmarshalText([]byte(hash)) != nil {
			continue
		}
		content, err := w.Store.Blob(voting.Hash(digest))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, string(e.Kind)+".json", append(content, '\n'))
	}
}

// Payments stand in the order in which the program emits Paid; of the bonds only the order given
// says which is the worker's.
func TestOutcomeOrder(t *testing.T) {
	worker, creator := casefile.Address(casetest.Key("worker")), casefile.Address(casetest.Key("creator"))
	pay := func(to casefile.Address, kind voting.PaymentKind, amount casefile.Amount) casefile.Payment {
		return casefile.Payment{To: to, Kind: casefile.PaymentKind(kind), Amount: amount}
	}
	for _, first := range []casefile.Address{worker, creator} { // so that no order of addresses can pass both times
		second := worker
		if first == worker {
			second = creator
		}
		doc, err := casefile.NewOutcome(casefile.OutcomeFact{
			Status: casefile.TaskUndecided, Outcome: casefile.TaskOutcome(voting.Split), Resolution: casefile.ByUndecided,
			Payments: []casefile.Payment{pay(first, voting.PayBondBack, 3), pay(creator, voting.PayRefund, 0), pay(second, voting.PayBondBack, 3), pay(worker, voting.PayReward, 1)},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []casefile.Payment{pay(worker, voting.PayReward, 1), pay(first, voting.PayBondBack, 3), pay(second, voting.PayBondBack, 3)}
		if !reflect.DeepEqual(doc.Value.Payments, want) {
			t.Errorf("%+v", doc.Value.Payments)
		}
	}
}

func TestRulesRoundTrip(t *testing.T) {
	want := casetest.Rules()
	want.Minority, want.Reversal, want.AppealSeconds = 7, 20, 3600
	v := reflect.ValueOf(want)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("%s is zero: the test cannot see whether it is copied", v.Type().Field(i).Name)
		}
	}
	if got := casefile.RulesOf(want).Second.Rules(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func FuzzBundle(f *testing.F) {
	file, err := casetest.File(casetest.Script{Name: "fuzz", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Reject)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	for _, name := range []string{"open", "draw", "settle", "outcome", "vote"} {
		raw, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"blobs":{},"case":"11111111111111111111111111111111","events":[],"exported_at":0,"exporter":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK","format":"oju-case/1","network":"` + strings.Repeat("0", 64) + `","program":"11111111111111111111111111111111","seal":"` + strings.Repeat("A", 86) + `=="}`))
	f.Add(file[:len(file)/3])                                                  // cut
	f.Add(bytes.Replace(file, []byte("  \"blobs\""), []byte(" \"blobs\""), 1)) // one space less
	f.Add([]byte(`{"a":[1,{"b":[}`))                                           // no JSON, deep inside
	f.Add([]byte(strings.Repeat("[", 20_000)))                                 // too deep
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, err := casefile.ReadBundle(bytes.NewReader(raw)); err != nil || !bytes.Equal(got, raw) {
			t.Fatalf("%d bytes of %d were read: %v", len(got), len(raw), err)
		}
		r := verify.File(raw)
		if r.OK() && string(raw) != string(file) {
			t.Fatalf("verified:\n%s", raw)
		}
		if len(r.String()) == 0 {
			t.Fatal("empty report")
		}
	})
}

func FuzzFacts(f *testing.F) {
	for _, name := range []string{"open", "draw", "settle", "outcome"} {
		raw, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(strings.TrimSpace(string(raw))))
	}
	f.Fuzz(func(_ *testing.T, raw []byte) { casefile.ReadFacts(raw) })
}
