package archive

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"math"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/node/archive/parquet"
	"ojud/voting"
)

// schema is the version of the tables, which docs/archive.md describes. A version only adds
// columns at the end of a table.
const schema = "1"

// tables are the tables of a part.
type tables struct {
	cases, seats, payments, evidence *parquet.Table
}

// name is a text column, and the others are those of their kinds. The maybe ones take nil.
func name(s string) parquet.Column   { return parquet.Column{Name: s} }
func amount(s string) parquet.Column { return parquet.Column{Name: s, Kind: parquet.Amount} }
func small(s string) parquet.Column  { return parquet.Column{Name: s, Kind: parquet.Small} }
func truth(s string) parquet.Column  { return parquet.Column{Name: s, Kind: parquet.Truth} }
func when(s string) parquet.Column {
	return parquet.Column{Name: s, Kind: parquet.Time, Optional: true}
}
func maybe(s string) parquet.Column { return parquet.Column{Name: s, Optional: true} }

func newTables() tables {
	return tables{
		cases: parquet.New("cases",
			name("task"), name("network"), name("program"), amount("task_id"), name("creator"), name("worker"),
			name("task_sha256"), name("result_sha256"), name("objection_sha256"), maybe("counter_sha256"),
			amount("reward"), amount("creator_bond"), amount("worker_bond"), amount("claim_bond"), name("on_undecided"), small("reworks"), truth("prepaid"),
			amount("opened_slot"), when("claimed_at"), when("submitted_at"), when("ended_at"),
			small("rounds"), truth("appealed"), name("verdict"), name("outcome"), name("resolution"), maybe("golden_answer"), name("file_sha256")),
		seats: parquet.New("seats",
			name("task"), small("round"), small("seat"), truth("appeal"), name("judge"), name("node"), maybe("operator"), amount("weight"),
			name("choice"), name("result"), amount("slashed"), amount("earned"), truth("equivocated"), when("voted_at"),
			maybe("opinion_sha256"), maybe("model"), maybe("family"), maybe("dimension"), maybe("summary")),
		payments: parquet.New("payments",
			name("task"), small("number"), name("kind"), maybe("paid_to"), amount("amount"), name("tx"), when("paid_at")),
		evidence: parquet.New("evidence",
			name("task"), small("round"), name("judge"), name("source"), name("holder"), maybe("standing"),
			name("request_sha256"), name("response_sha256"), name("terms_sha256"), amount("price"), when("fetched_at"), when("answered_at")),
	}
}

// each calls do for each table, with the name of its file.
func (t tables) each(do func(file string, t *parquet.Table) error) error {
	for _, one := range []struct {
		name  string
		table *parquet.Table
	}{{"cases", t.cases}, {"seats", t.seats}, {"payments", t.payments}, {"evidence", t.evidence}} {
		if err := do(one.name+".parquet", one.table); err != nil {
			return err
		}
	}
	return nil
}

func (t tables) rows() (n int) {
	for _, one := range []*parquet.Table{t.cases, t.seats, t.payments, t.evidence} {
		n += one.Rows()
	}
	return n
}

// row is a row that is being written. The first value that has no text is its error.
type row struct {
	values []any
	err    error
}

// words adds values by the texts that documents have for them. One that is all zero is nil.
func (r *row) words(values ...encoding.TextMarshaler) {
	for _, v := range values {
		text, err := v.MarshalText()
		if err != nil && r.err == nil {
			r.err = err
		}
		r.values = append(r.values, string(text))
	}
}

// plain adds values as they are.
func (r *row) plain(values ...any) { r.values = append(r.values, values...) }

// times adds Unix seconds. Zero is nil, and so is a time that no table takes.
func (r *row) times(seconds ...int64) {
	for _, s := range seconds {
		if s <= 0 || s > math.MaxInt64/1000 {
			r.values = append(r.values, nil)
		} else {
			r.values = append(r.values, s)
		}
	}
}

// texts adds texts that may not be there. An empty one is nil.
func (r *row) texts(texts ...string) {
	for _, s := range texts {
		if s == "" {
			r.values = append(r.values, nil)
		} else {
			r.values = append(r.values, s)
		}
	}
}

// known adds a value, or nil if it is zero.
func known[T interface {
	comparable
	encoding.TextMarshaler
}](r *row, v T) {
	var zero T
	if v == zero {
		r.values = append(r.values, nil)
		return
	}
	r.words(v)
}

func (r *row) into(t *parquet.Table) error {
	if r.err != nil {
		return r.err
	}
	return t.Add(r.values...)
}

// add adds the rows of a case file that verified with this report.
func (t tables) add(file []byte, report verify.Report) error {
	record, err := reading.File(file)
	if err != nil {
		return err
	}
	if record.Open == nil || record.Outcome == nil {
		return fmt.Errorf("archive: case %s: the file has no opening or no outcome", record.Case)
	}
	if err := t.addCase(file, report, record); err != nil {
		return err
	}
	for i, p := range record.Outcome.Value.Payments {
		var r row
		r.words(record.Case)
		r.plain(int32(i + 1))
		r.words(p.Kind)
		known(&r, p.To)
		r.plain(uint64(p.Amount))
		r.words(p.Tx)
		r.times(record.Outcome.Value.At)
		if err := r.into(t.payments); err != nil {
			return err
		}
	}
	last := lastOf(record)
	for _, round := range record.Rounds {
		if round.Draw == nil || round.Settle == nil {
			continue
		}
		if err := t.addRound(record, round, last[round.Draw.Value.Round]); err != nil {
			return err
		}
	}
	return nil
}

func (t tables) addCase(file []byte, report verify.Report, record reading.Record) error {
	open, outcome := record.Open.Value, record.Outcome.Value
	sum := sha256.Sum256(file)
	var r row
	r.words(record.Case, record.Network, record.Program)
	r.plain(open.Task.ID)
	r.words(open.Task.Creator, open.Task.Worker, open.Task.TaskHash, open.Task.ResultHash, open.Task.ObjectionHash)
	known(&r, open.Task.CounterHash)
	r.plain(uint64(open.Task.Reward), uint64(open.Task.CreatorBond), uint64(open.Task.WorkerBond), uint64(open.Task.ClaimBond))
	r.words(open.Task.OnUndecided)
	r.plain(int32(open.Task.Reworks), open.Task.Prepaid, open.Slot)
	r.times(open.Task.ClaimedAt, open.Task.SubmittedAt, outcome.At)
	r.plain(int32(report.Rounds), outcome.Finish != nil && outcome.Finish.Appeal != nil)
	r.words(report.Verdict, outcome.Outcome)
	r.plain(string(outcome.Resolution))
	if record.Leaf == nil {
		r.plain(nil)
	} else {
		r.words(record.Leaf.Answer)
	}
	r.plain(hex.EncodeToString(sum[:]))
	return r.into(t.cases)
}

// lastOf returns, by round, what its seats lost and earned in the whole case. That is said of the
// last round of the first panel and of the appeal, if the first verdict could be appealed.
func lastOf(record reading.Record) map[uint8][]casefile.FinalSeat {
	finish := record.Outcome.Value.Finish
	if finish == nil {
		return nil
	}
	out, left := map[uint8][]casefile.FinalSeat{}, finish.Seats
	most := record.Open.Value.Rules.Timing().MaxRounds
	var first, appeal *casefile.SettleFact
	for _, round := range record.Rounds {
		switch {
		case round.Settle == nil:
		case round.Settle.Value.Round <= most:
			first = &round.Settle.Value
		default:
			appeal = &round.Settle.Value
		}
	}
	for _, settled := range []*casefile.SettleFact{first, appeal} {
		if settled != nil && len(settled.Seats) <= len(left) {
			out[settled.Round], left = left[:len(settled.Seats)], left[len(settled.Seats):]
		}
	}
	return out
}

// addRound adds the seats of a round, and what its judges were answered.
func (t tables) addRound(record reading.Record, round reading.Round, final []casefile.FinalSeat) error {
	drawn, settled := round.Draw.Value, round.Settle.Value
	candidates := map[uint16]casefile.Candidate{}
	for _, c := range drawn.Candidates {
		candidates[c.Index] = c
	}
	for i, seat := range settled.Seats {
		if i >= len(drawn.Seats) {
			return fmt.Errorf("archive: case %s: round %d: more seats were settled than drawn", record.Case, drawn.Round)
		}
		who := candidates[drawn.Seats[i]]
		weight := who.Weight
		if len(drawn.Weights) == len(drawn.Seats) {
			weight = drawn.Weights[i]
		}
		end := casefile.FinalSeat{Slashed: seat.Slashed, Earned: seat.Earned, Equivocated: voting.Result(seat.Result) == voting.Equivocated}
		if i < len(final) {
			end.Slashed, end.Earned, end.Equivocated = final[i].Slashed, final[i].Earned, end.Equivocated || final[i].Equivocated
		}
		said := record.Said(who.Peer, drawn.Round)
		var r row
		r.words(record.Case)
		r.plain(int32(drawn.Round), int32(i+1), drawn.Round > record.Open.Value.Rules.Timing().MaxRounds)
		r.words(seat.Judge, who.Peer)
		known(&r, who.Operator)
		r.plain(uint64(weight))
		r.words(seat.Choice, seat.Result)
		r.plain(uint64(end.Slashed), uint64(end.Earned), end.Equivocated)
		r.times(said.VotedAt)
		if said.Vote == nil {
			r.plain(nil)
		} else {
			known(&r, said.Vote.OpinionHash)
		}
		var o casefile.Opinion
		if said.Opinion != nil {
			o = *said.Opinion
		}
		r.texts(o.Model, o.Family, o.Dimension, o.Summary)
		if err := r.into(t.seats); err != nil {
			return err
		}
		if err := t.addEvidence(record, drawn.Round, seat.Judge, said.Heard); err != nil {
			return err
		}
	}
	return nil
}

// addEvidence adds the answers of a judge, by their receipts.
func (t tables) addEvidence(record reading.Record, round uint8, judge casefile.Address, heard []casefile.DataBody) error {
	for _, body := range heard {
		for i, receipt := range body.Receipts {
			standing := ""
			if i < len(body.Standings) {
				standing = string(body.Standings[i])
			}
			var r row
			r.words(record.Case)
			r.plain(int32(round))
			r.words(judge)
			r.plain(receipt.Source)
			r.words(receipt.Holder)
			r.texts(standing)
			r.words(receipt.Request, receipt.Response, receipt.Terms)
			r.plain(uint64(receipt.Price))
			r.times(receipt.FetchedAt, receipt.At)
			if err := r.into(t.evidence); err != nil {
				return err
			}
		}
	}
	return nil
}
