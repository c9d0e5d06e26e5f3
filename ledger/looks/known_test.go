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
		k.Keep(data, roster)
		other := *roster
		other.TotalStake++
		for name, c := range map[string]struct {
			data []byte
			want *program.Roster
		}{
			"the same": {data[:partLength], roster}, "whole": {data, nil}, "nothing": {nil, nil}, "short": {data[:partLength-1], nil},
			"other stakes": {other.Encode()[:partLength], nil},
		} {
			if got := k.Still(c.data); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
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
