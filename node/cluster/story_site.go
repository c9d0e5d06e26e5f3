package cluster

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/cluster/site"
	"ojud/node/library"
)

// web is the archive of the stories about a site.
type web struct{ *site.Site }

func (w web) file(_ *Member, lies bool) ([]byte, error) { return w.Source(lies), nil }
func (w web) close() error                              { return w.Close() }

// explorer is the archive of StoryPayment: the chain of each judge's node.
type explorer struct{}

func (explorer) file(*Member, bool) ([]byte, error) { return site.Transactions(chainSource), nil }
func (explorer) close() error                       { return nil }

// pay makes the payment that the task demands, and hands in its signature.
func (p *play) pay(ctx context.Context) (client.TaskDone, error) {
	owed, told, err := site.Owed(p.papers.task.Content, p.worker.key.Address())
	if err != nil {
		return client.TaskDone{}, err
	}
	out, err := p.treasury.sender.Submit(ctx, []onchain.Instruction{owed}, ledger.SubmitOptions{Payer: p.worker.key})
	if err != nil {
		return client.TaskDone{}, err
	}
	if out.Class != ledger.Landed {
		return client.TaskDone{}, fmt.Errorf("the payment ended as %s", out.Class)
	}
	if p.papers.result, err = library.ReadResult(fmt.Appendf(nil, `{"signature":%q}`, out.Signature)); err != nil {
		return client.TaskDone{}, err
	}
	p.say("The worker pays %s, and hands in the signature of the transaction: %s", told, out.Signature)
	return p.worker.Submit(ctx, p.task, p.papers.result)
}

// deliver hands in the result.
func (p *play) deliver(ctx context.Context) (client.TaskDone, error) {
	if p.cfg.Story == StoryPayment {
		return p.pay(ctx)
	}
	p.say("The worker delivers this result: %s", p.papers.words.result)
	return p.worker.Submit(ctx, p.task, p.papers.result)
}
