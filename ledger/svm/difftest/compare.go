package difftest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Compare lists the differences between two reports of a case, one a line. None means that they
// agree. The first report is the judge's, the second ours.
func Compare(c Case, want, got Report) []string {
	d := &differ{}
	for i := range c.Programs {
		d.load(i, at(want.Loads, i), at(got.Loads, i))
	}
	if len(want.Outcomes) != len(got.Outcomes) {
		d.add("transactions", len(want.Outcomes), len(got.Outcomes))
		return d.lines
	}
	for i := range want.Outcomes {
		d.prefix = fmt.Sprintf("transaction %d: ", i)
		d.outcome(c, i, want.Outcomes[i], got.Outcomes[i])
	}
	return d.lines
}

type differ struct {
	prefix string
	lines  []string
}

func (d *differ) add(what string, want, got any) {
	d.lines = append(d.lines, fmt.Sprintf("%s%s: judge %v, ours %v", d.prefix, what, want, got))
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "missing"
}

// load compares refusals by their last part: LiteSVM puts its own words before Agave's.
func (d *differ) load(i int, want, got string) {
	if (want == "") != (got == "") || !strings.HasSuffix(want, got) {
		d.add(fmt.Sprintf("program %d", i), want, got)
	}
}

func (d *differ) outcome(c Case, i int, want, got Execution) {
	d.json("error", want.Error, got.Error)
	if want.Units != got.Units {
		d.add("compute units", want.Units, got.Units)
	}
	d.logs(want.Logs, got.Logs)
	d.json("return data", want.ReturnData, got.ReturnData)
	d.json("inner instructions", want.Inner, got.Inner)
	for j, key := range c.Transactions[i].Watch {
		d.account(key.String(), want.Accounts[j], got.Accounts[j])
	}
}

func (d *differ) json(what string, want, got any) {
	w, errW := json.Marshal(want)
	g, errG := json.Marshal(got)
	if errW != nil || errG != nil || !bytes.Equal(w, g) {
		d.add(what, string(w), string(g))
	}
}

func (d *differ) logs(want, got []string) {
	for i := range max(len(want), len(got)) {
		if w, g := at(want, i), at(got, i); w != g {
			d.add(fmt.Sprintf("log line %d", i), fmt.Sprintf("%q", w), fmt.Sprintf("%q", g))
		}
	}
}

func (d *differ) account(key string, want, got *Account) {
	if want == nil || got == nil {
		if want != got {
			d.add("account "+key+" exists", want != nil, got != nil)
		}
		return
	}
	if !bytes.Equal(want.Data, got.Data) {
		d.add("account "+key+" data", describe(want.Data, got.Data), describe(got.Data, want.Data))
	}
	w, g := *want, *got
	w.Data, g.Data = nil, nil
	d.json("account "+key, w, g)
}

// describe shows the length and the bytes around the first difference.
func describe(b, other []byte) string {
	i := 0
	for i < len(b) && i < len(other) && b[i] == other[i] {
		i++
	}
	return fmt.Sprintf("%d bytes, at %d: %x", len(b), i, b[i:min(i+16, len(b))])
}
