package cost

import "ojud/ledger/program"

// Expiry returns the time from which anyone may expire the task. It is 0 if the task cannot
// expire in this state.
func Expiry(t *program.Task) int64 {
	switch t.Status {
	case program.Created:
		return t.ClaimBy
	case program.Claimed, program.InProgress, program.Verification, program.Disputed:
		return t.Deadline
	case program.Judiciary:
		if t.OnSilence == program.EndByTerm { // and 0 if it waits for no engine
			return t.Deadline
		}
	}
	return 0
}
