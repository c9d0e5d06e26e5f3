package main

import "slices"

// hint says what the IDL cannot say of a field.
type hint struct {
	Name  string // Go name, if it does not follow from the IDL's
	Type  string // Go type, if it is not the plain one
	Low   string // Go expressions of the range that a decoder accepts; a list has at most High items
	High  string
	Count string // Go name of the list whose length this field is
}

const (
	maxRounds = "voting.MaxRounds"
	maxRound  = "voting.MaxRound"
	maxSeats  = "voting.MaxSeats"
)

// hints are by structure and field. "account." and "event." stand for every structure of that kind,
// "*." for all.
func hints() map[string]hint {
	return map[string]hint{
		"*.peer": {Type: "voting.Key"},

		"event.round": {Low: "1", High: maxRound},
		"event.seat":  {Low: "0", High: maxSeats + "-1"},
		"event.seats": {High: maxSeats},

		"Case.status":             {Type: "voting.Status", Low: "voting.AwaitingDraw", High: "voting.Appealable"},
		"Case.round":              {Low: "1", High: maxRound},
		"Case.level":              {Low: "0", High: "2"},
		"Case.first_round":        {Low: "0", High: maxRounds},
		"Case.first_verdict":      {Type: "voting.Verdict", Low: "0", High: "voting.Undecided"},
		"Case.first_seats":        {Low: "0", High: maxSeats, Count: "First"},
		"Case.appeal_seats":       {Low: "0", High: maxSeats},
		"Case.verdict":            {Type: "voting.Verdict", Low: "0", High: "voting.Undecided"},
		"Case.seats":              {Low: "0", High: maxSeats, Count: "Seats"},
		"Case.committed":          {Low: "0", High: "seats"},
		"Case.revealed":           {Low: "0", High: "seats"},
		"Case.max_rounds":         {Low: "1", High: maxRounds},
		"Case.panel_seats":        {Low: "1", High: maxSeats},
		"Case.preset":             {Low: "1", High: "2"},
		"Seat.choice":             {Type: "voting.Choice", Low: "0", High: "voting.Abstain"},
		"Seat.flags":              {Type: "SeatFlags", Low: "0", High: "SeatCommitted|SeatRevealed|SeatEquivocated|SeatHeld"},
		"Seat.result":             {Type: "voting.Result", Low: "0", High: "voting.Voted"},
		"Config.paused":           {Low: "0", High: "1"},
		"Rules.max_rounds":        {Low: "1", High: maxRounds},
		"Rules.panel_seats":       {Low: "1", High: maxSeats},
		"RegistryPage.count":      {Low: "0", High: "PageEntries", Count: "Entries"},
		"Roster.count":            {Low: "0", High: "MaxJudges", Count: "Entries"},
		"RosterEntry.state":       {Type: "EntryState", Low: "0", High: "EntryExiting"},
		"Task.status":             {Type: "TaskStatus", Low: "Created", High: "Undecided"},
		"Task.dispute":            {Type: "Joined", Low: "0", High: "DisputeJoined"},
		"VerdictAccount.joined":   {Type: "Joined", Low: "0", High: "DisputeJoined"},
		"Task.on_silence":         {Type: "OnSilence", Low: "0", High: "EndByTerm"},
		"Task.auction":            {Type: "voting.Auction", Low: "0", High: "voting.ReverseDutch"},
		"Task.on_undecided":       {Type: "voting.OnUndecided", Low: "voting.RefundCreator", High: "voting.SplitEscrow"},
		"Task.outcome":            {Type: "voting.Outcome", Low: "0", High: "voting.Split"},
		"Task.resolution":         {Type: "Resolution", Low: "0", High: "ByEngineSilence"},
		"VerdictAccount.is_final": {Low: "0", High: "1"},
		"VerdictAccount.verdict":  {Type: "voting.Verdict", Low: "0", High: "voting.Undecided"},
		"VerdictAccount.level":    {Low: "0", High: "2"},
		"VerdictAccount.round":    {Low: "0", High: maxRound},
		"Config.listed":           {Low: "0", High: "1"},
		"Pledge.creator_paid":     {Low: "0", High: "1"},
		"Pledge.worker_paid":      {Low: "0", High: "1"},
		"AdmissionSet.admitted":   {Low: "0", High: "1"},

		"Case.golden":         {Type: "voting.Choice", Low: "0", High: "voting.Reject"},
		"Case.applied":        {Low: "0", High: "1"},
		"Batch.leaves":        {Low: "2", High: "maxLeaves"},
		"ProctorSet.admitted": {Low: "0", High: "1"},
		"SeasonBegun.few":     {Low: "0", High: "1"},
		"LeafOpened.answer":   {Type: "voting.Choice", Low: "voting.Accept", High: "voting.Reject"},
		"LeafOpened.void":     {Low: "0", High: "1"},
		"LeafApplied.seats":   {High: "2*" + maxSeats},
		"LeafApplied.answer":  {Type: "voting.Choice", Low: "voting.Accept", High: "voting.Reject"},
		"SeatApplied.result":  {Low: "0", High: "2"},
		"BatchClosed.outcome": {Low: "1", High: "5"},
		"OpenLeaf.answer":     {Type: "voting.Choice"},

		"Paid.kind":            {Type: "voting.PaymentKind", Low: "voting.PayReward", High: "voting.PaySilence"},
		"Revealed.choice":      {Type: "voting.Choice", Low: "voting.Accept", High: "voting.Abstain"},
		"Appealable.verdict":   {Type: "voting.Verdict", Low: "voting.ForWorker", High: "voting.ForCreator"},
		"Appealed.seats":       {Low: "1", High: maxSeats},
		"CaseFinished.verdict": {Type: "voting.Verdict", Low: "voting.ForWorker", High: "voting.ForCreator"},
		"CaseFinished.level":   {Low: "1", High: "2"},
		"CaseFinished.seats":   {High: "2*" + maxSeats},
		"RoundSettled.verdict": {Type: "voting.Verdict", Low: "0", High: "voting.Undecided"},
		"SeatSettled.result":   {Type: "voting.Result", Low: "0", High: "voting.Voted"},
		"StakeMoved.kind":      {Type: "StakeKind", Low: "StakeJoined", High: "StakeWithdrawn"},
		"TaskMoved.from":       {Type: "TaskStatus", Low: "0", High: "Undecided"},
		"TaskMoved.to":         {Type: "TaskStatus", Low: "Created", High: "Undecided"},
		"TaskMoved.outcome":    {Type: "voting.Outcome", Low: "0", High: "voting.Split"},
		"TaskMoved.resolution": {Type: "Resolution", Low: "0", High: "ByEngineSilence"},

		"CreateTask.auction":      {Type: "voting.Auction"},
		"CreateTask.on_undecided": {Type: "voting.OnUndecided"},
		"CreateTask.on_silence":   {Type: "OnSilence"},
		"Reveal.choice":           {Type: "voting.Choice"},
		"WriteData.name":          {Name: "DataName"},
	}
}

// part is a Go struct inside another that holds some of its fields.
type part struct {
	name, kind, doc string // name is "" if it is embedded
	fields          string // of this structure of the IDL; "" for the list
	list            []string
}

// parts are by structure.
func parts() map[string]part {
	return map[string]part{
		"Rules": {kind: "Params", fields: "Params"},
		"Case": {name: "Rules", kind: "voting.Rules", doc: "copied from the task's rules when the case opened", list: []string{
			"max_rounds", "panel_seats", "min_seats", "draw_delay_slots", "commit_seconds", "reveal_seconds", "evidence_seconds",
			"draw_seconds", "preset", "fee", "risk_bps", "golden_gain", "golden_loss", "absence", "minority", "reversal", "appeal_seconds",
		}},
	}
}

// tail is the list at the end of an account, which the IDL only mentions. Its field is Entries, or
// there are other fields and a call that walks them.
type tail struct{ item, count, doc, fields, walk string }

// tails are by account.
func tails() map[string]tail {
	return map[string]tail{
		"RegistryPage": {item: "RegistryEntry", count: "count", doc: "at most PageEntries"},
		"Roster":       {item: "RosterEntry", count: "count", doc: "used or free, at most MaxJudges"},
		"Case":         {item: "Seat", count: "seats", fields: "First []Seat // of the first panel, if its verdict was appealed\nSeats []Seat // drawn in this round; in Draw after a void round those of the round before", walk: "walkSeats(w.at(caseHeadSize), int(firstSeats), int(seats))"},
	}
}

// manual are structures whose Go code is written by hand.
func manual(name string) bool { return name == "AgentData" || name == "DataGrant" }

// handmade are instructions whose builders are written by hand: the IDL does not say where an
// account comes from, or a second instruction with a signature belongs to them.
func handmade(name string) bool {
	return slices.Contains([]string{
		"init_config", "propose_rules", "withdraw_rules", "register_agent", "update_agent", "deposit", "withdraw_tokens", "pledge_tokens", "pay_pledge", "write_data", "revoke", "create_task", "expire", "join_roster", "begin_season", "commit", "relay_commit", "reveal",
		"slash_equivocation", "claim_reward", "close_case", "finish_case", "pull_payment", "revoke_admission", "settle_by_engine", "revoke_proctor",
		"commit_batch", "open_leaf", "apply_leaf", "close_batch", "uphold_challenge", "appeal_challenge",
	}, name)
}
