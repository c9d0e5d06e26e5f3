package node

import (
	"context"
	"errors"
	"strconv"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/node/why"
	"ojud/voting"
)

// deliberate has the judge form an opinion and answers with the vote.
func (n *Node) deliberate(ctx context.Context, e voting.AskJudge) error {
	now, ok := n.client.Clock().Estimate()
	if !ok {
		now = e.Deadline
	}
	deadline := time.Now().Add(time.Duration(e.Deadline-now) * time.Second)
	if err := n.note(e.Task, why.Entry{Round: e.Round, Deed: why.Asked, What: strconv.FormatInt(e.Deadline, 10)}); err != nil {
		return err
	}
	b, err := n.brief(ctx, e.Task, e.Round, deadline)
	if err != nil {
		n.opinionFailed(ctx, e.Task, e.Round, err)
		return nil
	}
	asked, err := n.openInquiry(ctx, b)
	if err != nil {
		n.opinionFailed(ctx, e.Task, e.Round, err)
		return nil
	}
	b.Evidence = asked
	defer asked.session.Close()
	verdicts, err := n.runner.Start(ctx, b)
	if errors.Is(err, judge.ErrRepeated) {
		return nil // asked twice: the first answer counts
	}
	if err != nil {
		n.opinionFailed(ctx, e.Task, e.Round, err)
		return nil
	}
	v := <-verdicts
	if errors.Is(v.Err, judge.ErrStopped) {
		return nil
	}
	if v.Err != nil {
		n.log.Warn("the judge gave no opinion, abstaining", "case", address(e.Task), "round", e.Round, "err", v.Err)
		if err := n.note(e.Task, why.Entry{Round: e.Round, Deed: why.Failed, Text: v.Err.Error()}); err != nil {
			return err
		}
	}
	n.metrics.judged.Observe(v.Took.Seconds())
	return n.cast(ctx, e.Task, e.Round, v.Opinion, asked.close())
}

// abstain writes an abstention.
func (n *Node) abstain(ctx context.Context, e voting.AskAbstain) error {
	b := judge.Brief{Case: e.Task, Round: e.Round, Judge: n.home.Keys.Judge()}
	doc, err := judge.Abstention(b, e.Reason)
	if err != nil {
		n.opinionFailed(ctx, e.Task, e.Round, err)
		return nil
	}
	n.log.Warn("abstaining", "case", address(e.Task), "round", e.Round, "reason", e.Reason)
	if err := n.note(e.Task, why.Entry{Round: e.Round, Deed: why.Abstained, Text: e.Reason}); err != nil {
		return err
	}
	return n.cast(ctx, e.Task, e.Round, doc, nil)
}

func (n *Node) opinionFailed(ctx context.Context, task voting.Key, round uint8, err error) {
	n.log.Warn("no opinion", "case", address(task), "round", round, "err", err)
	if bad := n.note(task, why.Entry{Round: round, Deed: why.Failed, Text: err.Error()}); bad != nil {
		n.fail(bad)
	}
	n.answer(ctx, func(at int64) voting.Event {
		return voting.OpinionFailed{At: at, Task: task, Round: round, Reason: err.Error()}
	})
}

// cast stores the opinion, then hands the vote to the machine. A disk that does not take the opinion stops the node: a vote whose
// opinion nobody can read would be worth nothing.
func (n *Node) cast(ctx context.Context, task voting.Key, round uint8, opinion casefile.Doc[casefile.Opinion], record []casefile.DataBody) error {
	if err := n.keepRecord(task, round, record); err != nil {
		return err
	}
	record, err := n.recorded(task, round) // the first that was kept counts, and its opinion has to be of it
	if err != nil {
		return err
	}
	if opinion, err = n.fillIn(opinion, record); err != nil {
		n.opinionFailed(ctx, task, round, err)
		return nil
	}
	root, err := casefile.Receipts(proven(record))
	if err != nil {
		return err
	}
	n.docket.withhold(opinion.Hash, task, round)
	if err := n.blobs.PutAs(opinion.Hash, opinion.Raw); err != nil {
		return err
	}
	if err := n.blobs.Pin(task, opinion.Hash); err != nil {
		return err
	}
	salt, err := n.home.Keys.salt(n.domain, task, round)
	if err != nil {
		return err
	}
	opening := voting.Opening{
		Choice: voting.Choice(opinion.Value.Choice), Opinion: opinion.Hash, Receipts: root, Salt: salt,
	}
	vote, err := n.vote(task, round, opening, opinion.Value)
	if err != nil {
		n.opinionFailed(ctx, task, round, err)
		return nil
	}
	if !n.mayShow(ctx, task) {
		return nil
	}
	if err := n.inquire(ctx, task, round); err != nil {
		return err
	}
	n.log.Info("opinion", "case", address(task), "round", round, "choice", opening.Choice, "summary", opinion.Value.Summary)
	if err := n.note(task, why.Entry{Round: round, Deed: why.Thought, What: opening.Choice.String(), Text: opinion.Value.Summary}); err != nil {
		return err
	}
	n.answer(ctx, func(at int64) voting.Event {
		return voting.OpinionReady{At: at, Task: task, Round: round, Opening: opening, Vote: vote}
	})
	return nil
}

// vote is the signed vote object of an opening and its opinion.
func (n *Node) vote(task voting.Key, round uint8, o voting.Opening, opinion casefile.Opinion) ([]byte, error) {
	doc, err := casefile.NewVote(n.domain, n.home.Keys.node, casefile.Ballot{
		Task: task, Round: round, Judge: n.home.Keys.Judge(), Opening: o, Model: opinion.Model, DataAccessed: opinion.DataAccessed,
	})
	return doc.Raw, err
}

// recoverTime bounds one search in the chain's history. The machine asks every few seconds as long as it is of use.
const recoverTime = 30 * time.Second

// recover finds the opening of an own commitment that the journal does not know: sealed in the chain's history.
func (n *Node) recover(ctx context.Context, e voting.RecoverOpening) error {
	brief, cancel := context.WithTimeout(ctx, recoverTime)
	defer cancel()
	opening, err := n.unsealed(brief, e)
	if err != nil {
		n.log.Warn("the own vote could not be recovered from the chain yet", "case", address(e.Task), "round", e.Round, "err", err)
		return nil
	}
	n.answer(ctx, func(at int64) voting.Event {
		return voting.OpeningRecovered{At: at, Task: e.Task, Round: e.Round, Opening: opening, Vote: n.voteAgain(e.Task, e.Round, opening)}
	})
	return nil
}

func (n *Node) unsealed(ctx context.Context, e voting.RecoverOpening) (voting.Opening, error) {
	sealed, err := n.client.Sealed(ctx, address(e.Task), n.home.Keys.Authority.Address(), e.Round, e.Commitment)
	if err != nil {
		return voting.Opening{}, err
	}
	return n.home.Keys.unseal(n.domain, e.Task, e.Round, sealed)
}

// voteAgain is the vote object of an opinion that is still here; without the opinion its model is not known, and there is none.
func (n *Node) voteAgain(task voting.Key, round uint8, o voting.Opening) []byte {
	raw, err := n.blobs.Blob(o.Opinion)
	if err != nil {
		return nil
	}
	doc, err := casefile.ParseOpinion(raw)
	if err != nil {
		return nil
	}
	vote, err := n.vote(task, round, o, doc.Value)
	if err != nil {
		return nil
	}
	return vote
}
