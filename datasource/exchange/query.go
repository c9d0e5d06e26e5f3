package exchange

import (
	"strings"

	"ojud/casefile"
	"ojud/datasource/anex"
)

// What for an asker asks (protocol section 12, "Who may ask").
const (
	forEvidence = "evidence" // to vote
	forPerson   = "query"    // a person wants to know; no case file takes it
)

// possible reports whether there can be such an evaluation.
func (e Evaluation) possible() bool {
	inRound := e.Round >= 1 && e.Round <= casefile.MaxRound
	besides := e.Query && e.Round == 0 && e.Case == (casefile.Address{})
	return (inRound || besides) && e.Until >= e.From && !e.Deadline.IsZero()
}

// authorize writes into a call what for is asked, and the seat if there is one.
func (e Evaluation) authorize(c anex.Call) anex.Call {
	if c.RequestType = forEvidence; e.Query {
		c.RequestType = forPerson
	}
	if e.Round != 0 {
		c.Case, c.Round, c.Judge = e.Case.String(), e.Round, e.Judge.String()
	}
	return c
}

// isQuery reports whether no case file takes what a call asks for.
func isQuery(c anex.Call) bool { return c.Case == "" || c.RequestType == forPerson }

// Remedy is what somebody who was given nothing can do about it.
type Remedy string

// The remedies.
const (
	RemedyNone    Remedy = ""
	RemedyCase    Remedy = "case"    // ask for a live case in which this node sits and whose task names the source
	RemedyOwner   Remedy = "owner"   // have the holder's owner change who may ask
	RemedyLater   Remedy = "later"   // ask again later
	RemedyPrice   Remedy = "price"   // allow a higher price
	RemedyDeposit Remedy = "deposit" // put lamports into the own vault
	RemedyPromise Remedy = "promise" // promise what the holder demands
	RemedyRequest Remedy = "request" // ask as the card says
)

// RemedyOf is what can be done about a failure of this package's record.
func RemedyOf(f casefile.Failure) Remedy {
	for _, known := range [...]struct {
		remedy Remedy
		texts  []string
	}{
		{RemedyCase, []string{ErrNoCase.Error(), ErrNotLive.Error(), ErrNoSeat.Error(), ErrNotTold.Error()}},
		{RemedyOwner, []string{ErrNotListed.Error()}},
		{RemedyLater, []string{errBusy.Error(), errRate.Error(), errChanged.Error(), ErrNotKnown.Error(), whyUnreachable.text, whyDialled.text, whyGone.text, whyLate.text, whyFailed.text}},
		{RemedyPrice, []string{whyPrice.text}},
		{RemedyDeposit, []string{whyPoor.text}},
		{RemedyPromise, []string{whyDemand.text}},
		{RemedyRequest, []string{whyUnfit.text}},
	} {
		for _, text := range known.texts {
			if f.Reason == text || strings.HasSuffix(f.Reason, ": "+text) || strings.HasPrefix(f.Reason, text+": ") {
				return known.remedy
			}
		}
	}
	return RemedyNone
}
