package difftest_test

import (
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/difftest"
)

// TestCompare: every part of an outcome is compared.
func TestCompare(t *testing.T) {
	key := difftest.Address("a")
	c := difftest.Case{
		Programs: []difftest.Deployment{{}}, Transactions: []difftest.Transaction{{Watch: []solana.PublicKey{key}}},
	}
	report := func() difftest.Report {
		return difftest.Report{Loads: []string{""}, Outcomes: []difftest.Execution{{
			Error: nil, Units: "5", Logs: []string{"one", "two"}, Inner: [][]difftest.Inner{{}},
			Accounts: []*difftest.Account{{Lamports: "1", Data: []byte("data")}},
		}}}
	}
	if lines := difftest.Compare(c, report(), report()); len(lines) != 0 {
		t.Fatal(lines)
	}
	for want, change := range map[string]func(*difftest.Report){
		"program 0":          func(r *difftest.Report) { r.Loads[0] = "broken" },
		"transactions":       func(r *difftest.Report) { r.Outcomes = nil },
		"error":              func(r *difftest.Report) { r.Outcomes[0].Error = "AccountNotFound" },
		"compute units":      func(r *difftest.Report) { r.Outcomes[0].Units = "6" },
		"log line 1":         func(r *difftest.Report) { r.Outcomes[0].Logs[1] = "2" },
		"log line 2":         func(r *difftest.Report) { r.Outcomes[0].Logs = append(r.Outcomes[0].Logs, "three") },
		"return data":        func(r *difftest.Report) { r.Outcomes[0].ReturnData = &difftest.Returned{} },
		"inner instructions": func(r *difftest.Report) { r.Outcomes[0].Inner[0] = []difftest.Inner{{Height: 2}} },
		"exists":             func(r *difftest.Report) { r.Outcomes[0].Accounts[0] = nil },
		"data":               func(r *difftest.Report) { r.Outcomes[0].Accounts[0].Data = []byte("date") },
		"\"lamports\":\"2\"": func(r *difftest.Report) { r.Outcomes[0].Accounts[0].Lamports = "2" },
	} {
		got := report()
		change(&got)
		if lines := difftest.Compare(c, report(), got); len(lines) != 1 || !strings.Contains(lines[0], want) {
			t.Errorf("%s: %q", want, lines)
		}
		if lines := difftest.Compare(c, got, report()); len(lines) != 1 {
			t.Errorf("%s, the other way: %q", want, lines)
		}
	}
}
