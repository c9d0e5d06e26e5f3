package keyholder

import (
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/law"
	"ojud/ledger/program"
	"ojud/voting/rules"
)

// TestParse: every parameter of the program can be set in the unit that it is shown in.
func TestParse(t *testing.T) {
	for _, p := range program.DefaultParams().List() {
		text := p.Name + "=" + law.UnitOf(p).Argument(p.Value)
		got, err := parseAll([]string{text})
		if err != nil || len(got) != 1 || got[0].Name != p.Name || got[0].Value != p.Value {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := parseAll([]string{"preset=seed"}); err != nil || got[0].Value != uint64(rules.PayMajority) {
		t.Errorf("preset=seed: %v, %v", got, err)
	}
	for _, c := range []struct {
		text string
		want uint64
	}{{"1%", 100}, {"0.05%", 5}, {"12.5 %", 1_250}, {"0%", 0}} {
		if got, err := number(law.Share, c.text); err != nil || got != c.want {
			t.Errorf("%s: %d, %v", c.text, got, err)
		}
	}
}

// TestParseRefuses: the error names the parameter and says what to write.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{nil, "needs --set NAME=VALUE"},
		{[]string{"min_stake"}, "has no value"},
		{[]string{"min_steak=1sol"}, "take one of min_stake,"},
		{[]string{"=1sol"}, "there is no parameter"},
		{[]string{"min_stake=1sol", "min_stake=2sol"}, "names min_stake twice"},
		{[]string{"min_stake=5"}, "min_stake: \"5\" has no unit"},
		{[]string{"commit_seconds=60"}, "such as 90s, 30m, 8h or 2d"},
		{[]string{"commit_seconds=-1s"}, "is not a time"},
		{[]string{"trade_bps=50"}, "such as 0.5% or 12%"},
		{[]string{"trade_bps=0.005%"}, "at most two decimals"},
		{[]string{"trade_bps=-1%"}, "is not a share"},
		{[]string{"trade_bps=.5%"}, "is not a share"},
		{[]string{"trade_bps=99999999999%"}, "is not a share"},
		{[]string{"preset=2"}, "write truth or seed"},
		{[]string{"preset="}, "is not a preset"},
		{[]string{"max_rounds=3.0"}, "is not a whole number"},
		{[]string{"max_rounds=" + strings.Repeat("9", 5_000)}, "is not a whole number"},
	} {
		_, err := parseAll(c.texts)
		if err == nil || cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 700 {
			t.Errorf("%.80q: %v", c.texts, err)
		}
	}
}
