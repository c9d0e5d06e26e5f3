// Package anex is the Agent Negotiation & Exchange Protocol (seed 002) on FIPA ACL: its messages,
// its ontology, and the two machines that negotiate terms and then exchange data, one for the asker
// and one for the holder (docs/protocol.md, section "ANEX").
//
// It imports the standard library alone, does no I/O, starts no goroutine, has no clock and no
// randomness, and no order of a map decides anything: the same events give the same effects.
//
// # Messages
//
// Parse reads any strict JSON spelling, bounded in size, depth and number of values before it is
// taken apart. Encode writes the spelling of the seed's examples, byte for byte. Spell writes any
// JSON that way.
//
// # Agreement
//
// A Call (in CFP) asks for access and offers promises, the mandatory ones with the suffix (m). A
// Proposal (in PROPOSE) grants part of both, at a price. Meet makes the proposal that a holder's
// Offer allows; CheckProposal is the asker's rule. What was accepted are Terms, and their Hash is
// the same on both sides. A promise stands in the CFP and in the accepted PROPOSE, and then binds
// both sides, whoever has data of the other; what stands in only one of them, or in a text for
// people, is no promise. Cut leaves of data what the terms grant: a holder sends nothing else, an
// asker takes nothing else.
//
// # Machines
//
//	asker                                     holder
//	REQUEST self-identification [PA*]    ─►
//	REQUEST engagement                   ─►   AskEngagement
//	                                     ◄─   AGREE │ REFUSE │ PROPOSE modification
//	(AskModification ─► REQUEST engagement again │ CANCEL)
//	CFP                                  ─►   AskAuthority, AskTerms
//	AskProposal                          ◄─   PROPOSE │ REFUSE
//	ACCEPT-PROPOSAL │ REJECT-PROPOSAL    ─►   (after a rejection another CFP, up to Config.MaxBids)
//	REQUEST data                         ─►   Fetch, the cut, MakeReceipt
//	Deliver │ Failed                     ◄─   INFORM │ FAILURE, up to Config.MaxRequests times
//	INFORM "Session terminated."         ─►
//
// A pipelining asker sends the CFP with the engagement and the data REQUESTs with the acceptance:
// two round trips. Every conversation ends with one Ended, within the bounds of Config in messages,
// bytes and time, whatever the peer does.
//
// # Duties of the caller
//
//  1. One machine a conversation, all calls from one goroutine. Execute effects in order. Nothing that was given to a machine
//     or came from one is changed afterwards: bytes are shared.
//  2. The names are claims. A peer whose identity the transport proves is named in Config.Peer; a holder that leaves Peer empty
//     decides in AskAuthority whether From is who sits at the other end.
//  3. Frames are bounded before they get here: MaxMessage for a holder, MaxInform for an asker. Hangup when the stream ends.
//  4. Look at Next after every Step, and step TimeUp then. At is Unix ms of the wall clock: the reply-by of one side is compared
//     with the clock of the other, less Config.Slack.
//  5. Answer every question with its event, in the time of Config.Decide; after Ended no more. If Step refuses an answer,
//     nothing has changed: answer otherwise (FetchFailed, no Offer, no acceptance).
//  6. AskAuthority: check Case, Round and Judge against the chain, and that From is that judge's agent. AskTerms: the offer is
//     the owner's, for the Call's DataSource. A Call without DataSource leaves it open; then Fetch is the place to refuse a source.
//  7. Fetch: redact what never leaves before Fetched; the machine cuts to what was agreed and no more. Data that has no canonical
//     form is a FetchFailed. MakeReceipt: sign over Data as it is given, and Terms.Hash.
//  8. AskProposal: the machine has checked the rules, not whether price and promises are worth it: with no PriceLimit any price
//     comes here.
//  9. Deliver: verify the receipt (signature, request, response and terms hash) before the data is used; what fails is the
//     holder's fault: Stop, and penalise. The data is hostile input; texts of the peer are for logs, quoted.
//  10. Penalise a peer for Ended.Fault Theirs alone. ErrLate and ErrSilent may be the network's: a holder that is slow once is
//     not one that breaches.
package anex
