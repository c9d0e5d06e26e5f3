package reputation

import "ojud/config/bounds"

// Whole is a full reputation.
const Whole = 10_000

// Constants are the numbers by which records count. The simulation of docs/megabrain.md chose the
// defaults.
type Constants struct {
	Newcomer int `json:"newcomer"`   // value without a record, of 10,000
	Doubt    int `json:"doubt"`      // how many tasks of no success a record begins with
	Keep     int `json:"keep_bps"`   // of a record that is left after 30 days
	Near     int `json:"near_bps"`   // of a record in a near class that counts
	Low      int `json:"low_effort"` // failed outcomes that a result without effort counts as
	Lost     int `json:"lost"`       // failed outcomes that a slash or a lost dispute counts as

	Step    int `json:"alarm_step"`  // what a failed golden task adds to the alarm; a passed one takes 1
	Alarm   int `json:"alarm_limit"` // from here on an evaluator has stamped
	Freeze  int `json:"freeze_days"`
	Restore int `json:"restore_tasks"`

	Vouch   int `json:"vouch_bps"`    // of the value of one who vouches, at most, for all together
	Release int `json:"release_days"` // from the end of a voucher until it counts no more
}

// Defaults are those by which the simulation is played.
func Defaults() Constants {
	return Constants{
		Newcomer: 1000, Doubt: 3, Keep: 8000, Near: 2500, Low: 5, Lost: 3,
		Step: 3, Alarm: 10, Freeze: 30, Restore: 5, Vouch: 2500, Release: 30,
	}
}

// Validate names the first number that is outside its range.
func (t Constants) Validate() error {
	return bounds.Check("terms: ",
		bounds.Of("newcomer", t.Newcomer, 1, Whole),
		bounds.Of("doubt", t.Doubt, 1, 100),
		bounds.Of("keep_bps", t.Keep, 0, Whole),
		bounds.Of("near_bps", t.Near, 0, Whole),
		bounds.Of("low_effort", t.Low, 1, 100),
		bounds.Of("lost", t.Lost, 1, 100),
		bounds.Of("alarm_step", t.Step, 1, 100),
		bounds.Of("alarm_limit", t.Alarm, 1, 1000),
		bounds.Of("freeze_days", t.Freeze, 0, 365),
		bounds.Of("restore_tasks", t.Restore, 0, 100),
		bounds.Of("vouch_bps", t.Vouch, 0, Whole),
		bounds.Of("release_days", t.Release, 1, 365),
	)
}
