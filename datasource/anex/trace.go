package anex

import "fmt"

// String returns a line of a trace.
func (e Send) String() string { return "send " + string(e.Raw) }

// String returns a line of a trace.
func (e AskModification) String() string { return fmt.Sprintf("ask-modification %q", e.Modification) }

// String returns a line of a trace.
func (e AskProposal) String() string {
	text := fmt.Sprintf("ask-proposal access=%q promise=%q price=%d", e.Terms.Grant.Access, e.Terms.Grant.Promise, e.Terms.Grant.Price)
	if e.Problem != nil {
		text += fmt.Sprintf(" problem=%q", e.Problem)
	}
	if e.Last {
		text += " last"
	}
	return text
}

// String returns a line of a trace.
func (e AskEngagement) String() string {
	return fmt.Sprintf("ask-engagement from=%q introduction=%q request=%q details=%s", e.From, e.Introduction, e.Engagement.Request,
		e.Engagement.Details)
}

// String returns a line of a trace.
func (e AskAuthority) String() string {
	c := e.Call
	return fmt.Sprintf("ask-authority from=%q identity=%q owner=%q relation=%q case=%q round=%d judge=%q", e.From, c.Identity, c.Owner,
		c.Relation, c.Case, c.Round, c.Judge)
}

// String returns a line of a trace.
func (e AskTerms) String() string {
	return fmt.Sprintf("ask-terms type=%q source=%q access=%s promise=%s", e.Call.RequestType, e.Call.DataSource,
		list(e.Call.Access), list(e.Call.Promise))
}

// String returns a line of a trace.
func (e AskQuery) String() string { return fmt.Sprintf("ask-query %q", e.Query) }

// String returns a line of a trace.
func (e Agreed) String() string {
	return fmt.Sprintf("agreed %s %s", e.Terms.Hash(), e.Terms.Canonical())
}

// String returns a line of a trace.
func (e Fetch) String() string {
	return fmt.Sprintf("fetch %d source=%q request=%s by=%d", e.Index, e.Request.DataSource, e.Request.Request, e.By)
}

// String returns a line of a trace.
func (e MakeReceipt) String() string { return fmt.Sprintf("make-receipt %d data=%s", e.Index, e.Data) }

// String is a line of a trace.
func (e Deliver) String() string {
	return fmt.Sprintf("deliver %d source=%q data=%s receipt=%s", e.Index, e.Request.DataSource, e.Data, e.Receipt)
}

// String is a line of a trace.
func (e Failed) String() string { return fmt.Sprintf("failed %d reason=%q", e.Index, e.Reason) }

// String returns a line of a trace.
func (e Told) String() string { return fmt.Sprintf("told %s", e.Content) }

// String returns a line of a trace.
func (e Ended) String() string {
	text := fmt.Sprintf("ended %s, fault of %s", e.Outcome, e.Fault)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if len(e.Refusal.Demand) > 0 || e.Refusal.Price > 0 {
		text += fmt.Sprintf(" (demand=%q price=%d)", e.Refusal.Demand, e.Refusal.Price)
	}
	return text
}
