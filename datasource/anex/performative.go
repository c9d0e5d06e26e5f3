package anex

import (
	"slices"
	"strings"
)

// Performative names the act of a message (FIPA communicative acts). A word other than the
// constants can be parsed, so that it can be answered with NOT-UNDERSTOOD.
type Performative string

// The performatives of ANEX.
const (
	ActRequest        Performative = "REQUEST"
	ActAgree          Performative = "AGREE"
	ActRefuse         Performative = "REFUSE"
	ActPropose        Performative = "PROPOSE"
	ActCFP            Performative = "CFP"
	ActAcceptProposal Performative = "ACCEPT-PROPOSAL"
	ActRejectProposal Performative = "REJECT-PROPOSAL"
	ActInform         Performative = "INFORM"
	ActFailure        Performative = "FAILURE"
	ActNotUnderstood  Performative = "NOT-UNDERSTOOD"
	ActCancel         Performative = "CANCEL"
	ActQueryIf        Performative = "QUERY-IF"
)

// Known reports whether the performative is one of ANEX.
func (p Performative) Known() bool {
	return slices.Contains([]Performative{ActRequest, ActAgree, ActRefuse, ActPropose, ActCFP, ActAcceptProposal,
		ActRejectProposal, ActInform, ActFailure, ActNotUnderstood, ActCancel, ActQueryIf}, p)
}

// readPerformative also reads underscores, because the seed writes NOT_UNDERSTOOD, too.
func readPerformative(text string) Performative {
	return Performative(strings.ReplaceAll(text, "_", "-"))
}

// Protocol is the sequence that a message belongs to.
type Protocol string

// The protocols of ANEX. An exchange may be named FIPARequest, as in the seed's text.
const (
	Handshaking  Protocol = "ANEX-Handshaking"
	ContractNet  Protocol = "FIPA-Contract-Net"
	DataExchange Protocol = "ANEX-Data-Exchange"
	FIPARequest  Protocol = "FIPA-Request"
	Termination  Protocol = "ANEX-Termination"
)

// Known reports whether the protocol is one of ANEX.
func (p Protocol) Known() bool {
	return slices.Contains([]Protocol{Handshaking, ContractNet, DataExchange, FIPARequest, Termination}, p)
}

// data reports whether it is one of the two names of the exchange of data.
func (p Protocol) data() bool { return p == DataExchange || p == FIPARequest }
