package looks

import (
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/program"
	"ojud/voting"
)

// TestKnownRoster: the Roster that was read whole is that of an account whose head is the same, for
// a while, if there is more of it than was read.
func TestKnownRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		roster := &program.Roster{TotalStake: 5, Entries: make([]program.RosterEntry, 99)}
		data := roster.Encode()
		var k KnownRoster
		if part := data[:partLength]; k.Still(part) != nil || !Cut(part) || Cut(data) {
			t.Error("a Roster that was not read is known")
		}
		stakes, rewards, season, small := *roster, *roster, *roster, *roster
		stakes.TotalStake++
		rewards.TotalRewards++
		season.Season++
		small.Active++
		cut := func(r *program.Roster) []byte { return r.Encode()[:partLength] }
		for name, c := range map[string]struct {
			data []byte
			want *program.Roster
		}{
			"the same": {data[:partLength], roster}, "whole": {data, nil}, "nothing": {nil, nil}, "short": {data[:partLength-1], nil},
			"other stakes at once": {cut(&stakes), roster}, "other rewards": {cut(&rewards), roster},
			"a season": {cut(&season), nil}, "who joins": {cut(&small), nil}, "zeros": {make([]byte, partLength), nil},
		} {
			k.Keep(data, roster)
			if got := k.Still(c.data); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
		}
		k.Keep(data, roster)
		k.Hear(&program.StakeMoved{})
		if k.Still(cut(roster)) != roster {
			t.Error("whoever moves a stake has the Roster read at once")
		}
		time.Sleep(stakeEvery)
		if k.Still(cut(roster)) != nil {
			t.Error("who left and who joined cancel out")
		}
		k.Keep(data, roster)
		k.Hear(&program.RewardClaimed{})
		time.Sleep(stakeEvery)
		if k.Still(cut(roster)) != roster || k.Still(cut(&stakes)) != nil {
			t.Error("rewards have the Roster read, or stakes do not")
		}
		time.Sleep(wholeEvery)
		if k.Still(data[:partLength]) != nil {
			t.Error("an old Roster is known for ever")
		}
	})
	if program.TaskSize >= partLength || program.CaseSize(2*voting.MaxSeats) >= partLength || program.RosterSize(0) >= partLength {
		t.Error("a part is too short")
	}
}
