package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/judge/places"
	"ojud/casefile"
	"ojud/ledger/journal/blob"
	"ojud/node/content"
	"ojud/node/evidence"
	"ojud/node/network"
	"ojud/node/record"
	"ojud/node/status"
	"ojud/node/why"
	"ojud/voting"
)

// evaluator makes the judge form opinions and makes votes of them.
type evaluator struct {
	keys     Keys
	domain   voting.Domain
	chair    *chair.Chair
	runner   *judge.Runner
	chain    *chain
	roster   *network.Roster
	blobs    *blob.Store
	cases    *record.Cases
	data     record.RoundData
	content  *content.Content
	evidence *evidence.Evidence
	notices  *notices
	catchUp  catchUp
	twins    *twins
	inbox    *inbox
	audit    *status.Audit
	votes    *status.VoteCounter
	timeout  time.Duration // of the last look before signing
	metrics  *metrics
	log      *slog.Logger
}

// deliberate makes the judge form an opinion and answers with the vote.
func (v *evaluator) deliberate(ctx context.Context, e voting.AskJudge) error {
	now, ok := v.chain.estimate()
	if !ok {
		now = e.Deadline
	}
	deadline := time.Now().Add(time.Duration(e.Deadline-now) * time.Second)
	if err := v.audit.Note(e.Task, why.LogEntry{Round: e.Round, Deed: why.Asked, What: strconv.FormatInt(e.Deadline, 10)}); err != nil {
		return err
	}
	b := judge.Brief{Case: e.Task, Round: e.Round, Judge: v.keys.Judge(), Deadline: deadline, Evidence: judge.NoSources{}}
	b.Network, b.Program = casefile.Digest(v.domain.Network), casefile.Address(v.domain.Program)
	b, err := v.content.Brief(ctx, b)
	if err != nil {
		return v.failed(ctx, e.Task, e.Round, err)
	}
	inquiry, err := v.evidence.Open(ctx, b)
	if err != nil {
		return v.failed(ctx, e.Task, e.Round, err)
	}
	b.Evidence = inquiry
	defer inquiry.Close()
	verdicts, err := v.runner.Start(ctx, b, v.worth(b))
	if errors.Is(err, judge.ErrRepeated) {
		return nil // asked twice: the first answer counts
	}
	if err != nil {
		return v.failed(ctx, e.Task, e.Round, err)
	}
	verdict := <-verdicts
	if errors.Is(verdict.Err, judge.ErrStopped) {
		return nil
	}
	reason, err := v.noOpinion(e, verdict.Err)
	if err != nil {
		return err
	}
	if reason != status.NoPlace {
		v.metrics.judged.Observe(verdict.Took.Seconds())
	}
	return v.cast(ctx, e.Task, e.Round, verdict.Opinion, inquiry.Close(), reason)
}

// noOpinion writes down why the judge gave no opinion, and returns the reason for the abstention.
func (v *evaluator) noOpinion(e voting.AskJudge, err error) (status.Reason, error) {
	if err == nil {
		return status.Undecided, nil // if it abstains
	}
	v.log.Warn("the judge gave no opinion, abstaining", "case", address(e.Task), "round", e.Round, "err", err)
	entry, reason := why.LogEntry{Round: e.Round, Deed: why.Failed, Text: err.Error()}, status.NoOpinion
	switch {
	case errors.Is(err, places.ErrFull):
		entry.Deed, entry.How, reason = why.Abstained, why.NoPlace, status.NoPlace
	case errors.Is(err, judge.ErrDeadline):
		reason = status.NoTime
	}
	return reason, v.audit.Note(e.Task, entry)
}

// worth returns what a case brings to this node, so that a node with too many cases abstains in the
// least worthwhile ones: the pay of a vote for a side, less what the models are expected to cost.
// An abstention earns nothing, and an absence costs, so that every other vote is worth more.
func (v *evaluator) worth(b judge.Brief) places.Worth {
	out := places.Worth{Cost: v.chair.Cost(b)}
	// A case that was not seen yet has no fee and goes last. Half of the fee is the golden pot's.
	if look, ok := v.cases.Look(b.Case); ok {
		out.Pay = look.Rules.Fee / 2
	}
	return out
}

func (v *evaluator) abstain(ctx context.Context, e voting.AskAbstain) error {
	doc, err := judge.Abstention(judge.Brief{Case: e.Task, Round: e.Round, Judge: v.keys.Judge()}, e.Reason)
	if err != nil {
		return v.failed(ctx, e.Task, e.Round, err)
	}
	v.log.Warn("abstaining", "case", address(e.Task), "round", e.Round, "reason", e.Reason)
	if err := v.audit.Note(e.Task, why.LogEntry{Round: e.Round, Deed: why.Abstained, Text: e.Reason}); err != nil {
		return err
	}
	reason := status.NoOpinion
	if e.Reason == voting.NoOpinionInTime {
		reason = status.NoTime
	}
	return v.cast(ctx, e.Task, e.Round, doc, nil, reason)
}

func (v *evaluator) failed(ctx context.Context, task voting.Key, round uint8, err error) error {
	v.log.Warn("no opinion", "case", address(task), "round", round, "err", err)
	bad := v.audit.Note(task, why.LogEntry{Round: round, Deed: why.Failed, Text: err.Error()})
	v.inbox.answer(ctx, func(at int64) voting.Event {
		return voting.OpinionFailed{At: at, Task: task, Round: round, Reason: err.Error()}
	})
	return bad
}

// cast stores the opinion, then hands the vote to the machine. If the disk does not take the
// opinion, the node stops: a vote whose opinion no one can read would be worth nothing.
func (v *evaluator) cast(ctx context.Context, task voting.Key, round uint8, opinion casefile.Doc[casefile.Opinion],
	answers []casefile.DataBody, reason status.Reason) error {
	if err := v.data.Keep(task, round, answers); err != nil {
		return err
	}
	answers, err := v.data.Load(task, round) // the first answers that were kept count, and the opinion must be about them
	if err != nil {
		return err
	}
	if opinion, err = v.complete(opinion, answers); err != nil {
		return v.failed(ctx, task, round, err)
	}
	root, err := casefile.Receipts(record.Receipts(answers))
	if err != nil {
		return err
	}
	v.votes.Note(opinion.Hash, reason)
	v.cases.Withhold(opinion.Hash, task, round)
	if _, err := v.blobs.KeepOwn(task, opinion.Raw); err != nil {
		return err
	}
	salt, err := v.keys.salt(v.domain, task, round)
	if err != nil {
		return err
	}
	opening := voting.Opening{Choice: voting.Choice(opinion.Value.Choice), Opinion: opinion.Hash, Receipts: root, Salt: salt}
	vote, err := v.vote(task, round, opening, opinion.Value)
	if err != nil {
		return v.failed(ctx, task, round, err)
	}
	if !v.twins.mayShow(ctx, task) {
		return nil
	}
	v.lookBeforeSigning(ctx, task, round)
	v.log.Info(fmt.Sprintf("Your judge has an opinion in case %s: %s.", address(task), opening.Choice))
	v.log.Debug("opinion", "case", address(task), "round", round, "choice", opening.Choice, "summary", opinion.Value.Summary)
	thought := why.LogEntry{Round: round, Deed: why.Thought, What: opening.Choice.String(), Text: opinion.Value.Summary}
	if err := v.audit.Note(task, thought); err != nil {
		return err
	}
	v.inbox.answer(ctx, func(at int64) voting.Event {
		return voting.OpinionReady{At: at, Task: task, Round: round, Opening: opening, Vote: vote}
	})
	return nil
}

// complete fills in the parts of an opinion that the node knows better than the judge: the data
// that the receipts prove, and the family and dimension of the judge (ADR 0017). If no
// model was asked, the opinion is the code's, even if the node has models.
func (v *evaluator) complete(o casefile.Doc[casefile.Opinion], answers []casefile.DataBody) (casefile.Doc[casefile.Opinion], error) {
	accessed, err := casefile.Accesses(record.Receipts(answers), casefile.DID(v.keys.Peer()))
	if err != nil {
		return o, err
	}
	o.Value.DataAccessed, o.Value.Family = accessed, v.chair.Family
	if o.Value.Dimension == "" { // no persona was chosen for the case
		o.Value.Dimension = v.chair.Dimension
	}
	if o.Value.Model == casefile.CodeChecks {
		o.Value.Family = casefile.CodeFamily
	}
	return casefile.NewOpinion(o.Value)
}

// vote returns the signed vote object of an opening and its opinion.
func (v *evaluator) vote(task voting.Key, round uint8, o voting.Opening, opinion casefile.Opinion) ([]byte, error) {
	doc, err := casefile.NewVote(v.domain, v.keys.node, casefile.Ballot{
		Task: task, Round: round, Judge: v.keys.Judge(), Opening: o, Model: opinion.Model, DataAccessed: opinion.DataAccessed,
	})
	return doc.Raw, err
}

// lookBeforeSigning asks the chain and the seats, right before signing, for a commitment of this
// node in the round. The machine learns of it before the opinion. If the chain does not answer now,
// it takes no commitment either.
func (v *evaluator) lookBeforeSigning(ctx context.Context, task voting.Key, round uint8) {
	brief, cancel := context.WithTimeout(ctx, v.cases.AtMost(task, v.timeout))
	defer cancel()
	if roster := v.roster.Now(); roster == nil {
		v.log.Warn("the chain was not asked again before signing: the roster is not known yet", "case", address(task), "round", round)
	} else if look, err := v.chain.look(brief, task, roster); err != nil {
		v.log.Warn("the chain was not asked again before signing", "case", address(task), "round", round, "err", err)
	} else {
		v.inbox.answer(ctx, func(at int64) voting.Event { return voting.CaseSeen{At: at, Case: look} })
	}
	v.catchUp.round(ctx, voting.CatchUp{Task: task, Round: round, To: v.notices.linkedSeats(task)})
}

// recoverTime bounds one search in the chain's history. The machine asks again every few seconds
// while it is of use.
const recoverTime = 30 * time.Second

// recover finds the opening of a commitment of this node that the journal does not know. It is
// sealed in the chain's history.
func (v *evaluator) recover(ctx context.Context, e voting.RecoverOpening) {
	brief, cancel := context.WithTimeout(ctx, recoverTime)
	defer cancel()
	opening, err := v.unsealed(brief, e)
	if err != nil {
		v.log.Warn("the own vote could not be recovered from the chain yet", "case", address(e.Task), "round", e.Round, "err", err)
		return
	}
	v.inbox.answer(ctx, func(at int64) voting.Event {
		return voting.OpeningRecovered{At: at, Task: e.Task, Round: e.Round, Opening: opening, Vote: v.voteAgain(e.Task, e.Round, opening)}
	})
}

func (v *evaluator) unsealed(ctx context.Context, e voting.RecoverOpening) (voting.Opening, error) {
	sealed, err := v.chain.sealed(ctx, e)
	if err != nil {
		return voting.Opening{}, err
	}
	return v.keys.unseal(v.domain, e.Task, e.Round, sealed)
}

// voteAgain returns the vote object of an opinion that is still here. Without the opinion its model
// is not known, so there is no vote object.
func (v *evaluator) voteAgain(task voting.Key, round uint8, o voting.Opening) []byte {
	raw, err := v.blobs.Blob(o.Opinion)
	if err != nil {
		return nil
	}
	doc, err := casefile.ParseOpinion(raw)
	if err != nil {
		return nil
	}
	vote, err := v.vote(task, round, o, doc.Value)
	if err != nil {
		return nil
	}
	return vote
}
