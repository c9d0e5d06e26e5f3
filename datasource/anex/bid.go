package anex

import (
	"fmt"
	"slices"
)

func (a *Asker) call() {
	a.bids++
	a.post(Message{Performative: ActCFP, Protocol: ContractNet, Content: a.start.Call.encode()}, awaited{what: aboutTerms})
}

// post sends a message. It allows one Config.Reply for each outstanding answer.
func (a *Asker) post(m Message, w awaited) {
	full := a.now + int64(len(a.awaited)+1)*a.cfg.Reply.Milliseconds()
	w.by = min(full, a.until)
	w.short = w.by < full
	if w.id = a.ticket(); w.id != "" {
		m.ReplyWith, m.ReplyBy = w.id, w.by
	}
	a.awaited = append(a.awaited, w)
	a.send(m)
}

// bid takes the answer to the CFP.
func (a *Asker) bid(m Message) error {
	switch m.Performative {
	case ActRefuse:
		return a.refused(m)
	case ActPropose:
		p, err := readProposal(m.Content)
		if err != nil {
			return err
		}
		a.proposal(m, p)
		return nil
	}
	return a.unexpected(m)
}

// proposal rejects a breach of the call at once. The caller decides on everything else.
func (a *Asker) proposal(m Message, p Proposal) {
	a.awaited, a.proposed = a.awaited[1:], m
	a.terms = Terms{Asker: a.cfg.Self, Holder: a.peer, Call: a.start.Call, Grant: p}
	problem := CheckProposal(a.start.Call, p)
	if Blame(problem) == Theirs {
		a.reject(plain(problem))
		a.terminate()
		a.end(Broken, problem)
		return
	}
	a.ask(aboutProposal, AskProposal{a.terms, problem, a.bids >= a.cfg.MaxBids})
}

func (a *Asker) reject(reason string) {
	a.answer(a.proposed, ActRejectProposal, say("response", reason))
}

func (a *Asker) judge(e ProposalDecided) error {
	if err := a.open(aboutProposal); err != nil {
		return err
	}
	problem := CheckProposal(a.start.Call, a.terms.Grant)
	if e.Accept && problem != nil {
		return fmt.Errorf("%w: accepts what it must reject: %w", ErrEvent, problem)
	}
	if e.Accept {
		a.asking, a.agreed = nothing, true
		a.answer(a.proposed, ActAcceptProposal, acceptance(a.terms.Hash()))
		a.emit(Agreed{a.terms})
		return nil
	}
	if e.Again != nil {
		return a.again(e)
	}
	a.reject(e.Reason)
	a.terminate()
	if problem == nil {
		problem = fmt.Errorf("%w: %.200s", ErrNoAgreement, e.Reason)
	}
	a.end(Declined, problem)
	return nil
}

// again rejects and sends another CFP.
func (a *Asker) again(e ProposalDecided) error {
	call, err := e.Again.checked()
	if err == nil && a.bids >= a.cfg.MaxBids {
		err = fmt.Errorf("no more than %d CFPs", a.cfg.MaxBids)
	}
	other := func(r DataRequest) bool { return r.DataSource != call.DataSource }
	if err == nil && call.DataSource != "" && slices.ContainsFunc(a.todo, other) {
		err = fmt.Errorf("the data requests are not for %q", call.DataSource)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEvent, err)
	}
	a.asking, a.start.Call = nothing, call
	a.reject(e.Reason)
	a.call()
	return nil
}
