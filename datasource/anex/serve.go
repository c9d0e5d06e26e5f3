package anex

import "fmt"

// judged takes the asker's decision on the proposal.
func (h *Holder) judged(m Message) error {
	if m.Performative == ActRejectProposal {
		h.phase, h.offered = engaged, ""
		_, err := m.text("response")
		return err
	}
	accepted, err := readAcceptance(m.Content)
	if err != nil {
		return err
	}
	if own := h.terms.Hash(); accepted != own {
		return fmt.Errorf("%w: %s; proposed were %s", ErrTerms, accepted, own)
	}
	h.phase, h.offered = bound, ""
	h.emit(Agreed{h.terms})
	return nil
}

func (h *Holder) wanted(m Message) error {
	r, err := readDataRequest(m.Content)
	if err != nil {
		return err
	}
	if named := h.terms.Call.DataSource; named != "" && r.DataSource != named {
		return fmt.Errorf("%w: source %q; agreed was %q", ErrBreach, r.DataSource, named)
	}
	if h.requests++; h.requests > h.cfg.MaxRequests {
		return fmt.Errorf("%w: data request %d", ErrFlood, h.requests)
	}
	h.current, h.request = m, r
	h.ask(aboutData, Fetch{h.requests - 1, h.terms, r, m.ReplyBy})
	return nil
}

// fetched cuts the source's answer and asks for the receipt over the rest.
func (h *Holder) fetched(e Fetched) error {
	data, _, err := Cut(e.Data, h.terms.Grant.Access)
	if err != nil {
		return fmt.Errorf("%w: data of the source: %w", ErrOwn, err)
	}
	if h.asking = nothing; !h.inTime() {
		return nil
	}
	h.cut = answer{data: data}
	h.ask(aboutReceipt, MakeReceipt{h.requests - 1, h.terms, h.request, data})
	return nil
}

func (h *Holder) receiptMade(e ReceiptMade) error {
	receipt, _, err := spell(e.Receipt, MaxReceipt, maxInside, &mask{whole: true})
	if err == nil && receipt[0] != '{' {
		err = fmt.Errorf("%w: no object", ErrNotJSON)
	}
	if err != nil {
		return fmt.Errorf("%w: receipt: %w", ErrOwn, err)
	}
	if h.asking = nothing; !h.inTime() {
		return nil
	}
	h.cut.receipt = receipt
	h.answer(h.current, ActInform, h.cut.encode())
	h.cut = answer{}
	return nil
}

// fetchFailed answers with FAILURE. The conversation goes on.
func (h *Holder) fetchFailed(e FetchFailed) error {
	h.cut = answer{}
	if h.asking = nothing; h.inTime() {
		h.answer(h.current, ActFailure, say("error", e.Reason))
	}
	return nil
}
