package exchange

import (
	"errors"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/anex"
)

// The reasons why a holder gives nothing, which the peer reads. Others have files of their own.
var (
	errBusy     = errors.New("too many conversations; ask later")
	errRate     = errors.New("too many requests; ask later")
	errQuota    = errors.New("the case has had its share of this source")
	errNoTill   = errors.New("this node cannot be paid")
	errChanged  = errors.New("the terms of the source have changed; ask again")
	errNoSource = errors.New("the call does not name a data source")
	errFields   = errors.New("too many fields for one receipt")
	errOwn      = errors.New("this node cannot answer now")
)

// refusals are the errors with which a holder refuses an asker, besides ErrUnpaid.
func refusals() []error {
	return []error{errBusy, errRate, errQuota, errNoTill, errNoSource, errFields, ErrNotLive, ErrNoSeat, ErrOtherPeer, ErrNotListed, ErrNotTold,
		ErrNoCase, ErrNoJudge, ErrNoAgent, ErrNoParty, ErrNoTask, ErrNotKnown}
}

// reason returns the fixed words that a peer may read about an error.
func reason(err error) string {
	if errors.Is(err, ErrUnpaid) {
		for _, known := range voucherErrors() {
			if errors.Is(err, known) {
				return ErrUnpaid.Error() + ": " + known.Error()
			}
		}
	}
	for _, known := range append(refusals(), errChanged, errOwn, ErrUnpaid) {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return datasource.Reason(err)
}

// Class is a kind of misbehaviour, for callers that keep scores of peers.
type Class string

// The classes, from possible faults of the network or of an old card to deliberate ones.
const (
	ClassLate     Class = "late"     // no answer in the holder's full time; weigh it little
	ClassAbsent   Class = "absent"   // it is said to have the source but denies it; its owner may have just removed it
	ClassSchema   Class = "schema"   // an answer that the card does not allow or that is not canonical JSON; the card may be old
	ClassProtocol Class = "protocol" // not ANEX, out of order, or over a limit
	ClassBreach   Class = "breach"   // fields, promises or a price that were not requested
	ClassReceipt  Class = "receipt"  // an invalid receipt
)

// why is the reason why a holder gave nothing usable, in fixed words for the case file.
type why struct {
	text   string
	class  Class  // "" if the holder is not to blame
	again  bool   // it may succeed a moment later: its view of the chain lags, or it is busy
	effect effect // on the error of Ask if there is no answer
}

type effect uint8

const (
	unavailable effect = iota
	refused
	unfit // the request
	spent
)

var (
	whyUnfound     = why{text: "nobody who has the source was found"}
	whyUnreachable = why{text: "cannot be reached"}
	whyDialled     = why{text: "was not connected within this node's time limit"}
	whyGone        = why{text: "ended the conversation"}
	whyLate        = why{text: "did not answer in time"}
	whySpare       = why{text: "was not waited for any longer"}
	whyFailed      = why{text: "failed"}
	whyOwn         = why{text: "this node failed"}
	whyAbsent      = why{text: "does not have the source", class: ClassAbsent}
	whyUnfit       = why{text: "does not take the request", effect: unfit}
	whyRefused     = why{text: "refused", effect: refused}
	whyUnpaid      = why{text: "says that an earlier answer has not been paid", effect: refused}
	whyPrice       = why{text: "wants more than may be paid", effect: refused}
	whyPoor        = why{text: "wants more than this node's vault can promise", effect: refused}
	whyDemand      = why{text: "demands a promise that this node does not give", effect: refused}
	whyTerms       = why{text: "offers less than is needed", effect: refused}
	whySpent       = why{text: "there was no budget left for its answer", effect: spent}
	whyCard        = why{text: "its card is not valid", class: ClassProtocol}
	whyProtocol    = why{text: "does not keep to the protocol", class: ClassProtocol}
	whyBreach      = why{text: "broke what was asked or agreed", class: ClassBreach}
	whySchema      = why{text: "answered what its card does not allow", class: ClassSchema}
	whyForm        = why{text: "answered what has no canonical form", class: ClassSchema}
	whyReceipt     = why{text: "its receipt does not hold", class: ClassReceipt}
)

// with appends fixed words.
func (w why) with(detail string) why {
	w.text += ": " + detail
	return w
}

// saidWhy reads a holder's words. Unknown words are ignored.
func saidWhy(text string, otherwise why) why {
	if voucher, ok := saidUnpaid(text); ok {
		return unpaidWhy(voucher)
	}
	switch text {
	case datasource.ErrUnknown.Error():
		return whyAbsent
	case datasource.ErrRequest.Error():
		return whyUnfit
	case datasource.ErrRefused.Error():
		return whyRefused
	}
	for _, known := range [...]error{datasource.ErrDown, datasource.ErrSlow, datasource.ErrLarge, datasource.ErrSchema, errChanged, errOwn} {
		if text == known.Error() {
			return whyFailed.with(text)
		}
	}
	for _, known := range refusals() {
		if text == known.Error() {
			w := whyRefused.with(text)
			w.again = slices.Contains([]error{errBusy, errRate, ErrNotKnown, ErrNotLive}, known)
			return w
		}
	}
	return otherwise
}

// whyEnded returns why a conversation brought nothing. full: the holder had its full time.
func whyEnded(e anex.Ended, said string, full bool) why {
	is := func(err error) bool { return errors.Is(e.Err, err) }
	switch {
	case is(anex.ErrRefused):
		return refusedWhy(e.Refusal)
	case is(anex.ErrMandatory), is(anex.ErrNothing), is(anex.ErrNoAgreement):
		return whyTerms
	case is(anex.ErrBreach):
		return whyBreach
	case is(anex.ErrLate), is(anex.ErrSilent), is(anex.ErrDeadline):
		late := whyLate
		if full {
			late.class = ClassLate
		}
		return late
	case e.Fault == anex.Theirs:
		return whyProtocol.with(protocolFault(e.Err))
	case e.Fault == anex.Ours:
		return whyOwn
	case said != "":
		return saidWhy(said, whyFailed)
	}
	return whyGone
}

func refusedWhy(r anex.Refusal) why {
	switch {
	case len(r.Demand) > 0:
		return whyDemand
	case r.Price > 0:
		return whyPrice
	}
	return saidWhy(r.Response, whyRefused)
}

// protocolFault returns the class of a peer's error in fixed words.
func protocolFault(err error) string {
	for _, class := range [...]error{anex.ErrTooLarge, anex.ErrNotJSON, anex.ErrMalformed, anex.ErrUnknown, anex.ErrParty, anex.ErrOrder,
		anex.ErrMarker, anex.ErrTerms, anex.ErrFlood} {
		if errors.Is(err, class) {
			return strings.TrimPrefix(class.Error(), "anex: ")
		}
	}
	return "unknown"
}

// saidUnpaid reads ErrUnpaid and the holder's words about the voucher that it got.
func saidUnpaid(text string) (voucher string, ok bool) {
	voucher, ok = strings.CutPrefix(text, ErrUnpaid.Error())
	if voucher == "" {
		return "", ok
	}
	return strings.CutPrefix(voucher, ": ")
}

func unpaidWhy(voucher string) why {
	for _, known := range voucherErrors() {
		if voucher == known.Error() {
			return whyUnpaid.with(voucher)
		}
	}
	return whyUnpaid
}

// The purposes of a request (docs/protocol.md section 12, "Who may ask").
const (
	forEvidence = "evidence" // to vote
	forPerson   = "query"    // for a person; no case file takes the answer
)

// possible reports whether such an evaluation can exist.
func (e Evaluation) possible() bool {
	inRound := e.Round >= 1 && e.Round <= casefile.MaxRound
	besides := e.Query && e.Round == 0 && (e.Case == (casefile.Address{}) || e.Outsider)
	return (inRound || besides) && e.Until >= e.From && !e.Deadline.IsZero()
}

// authorize writes the purpose into a call, and the seat if there is one.
func (e Evaluation) authorize(c anex.Call) anex.Call {
	if c.RequestType = forEvidence; e.Query {
		c.RequestType = forPerson
	}
	switch {
	case e.Round != 0:
		c.Case, c.Round, c.Judge = e.Case.String(), e.Round, e.Judge.String()
	case e.Case != casefile.Address{}:
		c.Case = e.Case.String()
	}
	return c
}

// isQuery reports whether no case file takes the answer to a call.
func isQuery(c anex.Call) bool { return c.Round == 0 || c.RequestType == forPerson }

// Remedy names the step that a person can take after a refusal.
type Remedy string

// The remedies.
const (
	remedyNone    Remedy = ""
	RemedyCase    Remedy = "case"    // ask for a live case in which this node sits and whose task names the source
	RemedyOwner   Remedy = "owner"   // ask the holder's owner to allow this asker
	RemedyAgent   Remedy = "agent"   // register the key as an agent
	RemedyParty   Remedy = "party"   // name a task whose creator or worker asks
	RemedyLater   Remedy = "later"   // ask again later
	RemedyPrice   Remedy = "price"   // allow a higher price
	RemedyDeposit Remedy = "deposit" // put lamports into the own vault
	RemedyPromise Remedy = "promise" // make the promises that the holder demands
	RemedyRequest Remedy = "request" // ask as the card says
)

// RemedyOf returns the remedy for a failure in this package's record.
func RemedyOf(f casefile.Failure) Remedy {
	for _, known := range [...]struct {
		remedy Remedy
		texts  []string
	}{
		{RemedyCase, []string{ErrNoCase.Error(), ErrNotLive.Error(), ErrNoSeat.Error(), ErrNotTold.Error()}},
		{RemedyOwner, []string{ErrNotListed.Error(), ErrNoJudge.Error()}},
		{RemedyAgent, []string{ErrNoAgent.Error()}},
		{RemedyParty, []string{ErrNoParty.Error(), ErrNoTask.Error()}},
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
	return remedyNone
}
