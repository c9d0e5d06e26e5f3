// Package anex is the Agent Negotiation & Exchange Protocol (seed 002) on FIPA ACL: its messages,
// its ontology, and the two machines that negotiate terms and then exchange data, one for the asker
// and one for the holder (docs/protocol.md, section "ANEX").
//
// It does no I/O, starts no goroutine, and uses no clock, no randomness and no map order, so the
// same events give the same effects.
//
// # Messages
//
// Parse reads any strict JSON spelling. It checks size, depth and number of values before it looks
// inside. Encode writes the spelling of the seed's examples, byte for byte. Spell writes any JSON
// that way.
//
// # Agreement
//
// A Call (in CFP) asks for access and offers promises, the mandatory ones with the suffix (m). A
// Proposal (in PROPOSE) grants part of both, at a price. Meet makes the proposal that a holder's
// Offer allows. CheckProposal is the asker's rule. An accepted proposal gives Terms, and their Hash
// is the same on both sides. A promise must be in the CFP and in the accepted PROPOSE. It then
// binds both sides if they have data of each other. Text that is in only one of them, or in a text
// for people, is no promise. Cut leaves only the granted part of data: a holder sends nothing else,
// and an asker takes nothing else.
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
// bytes and time, even if the peer is hostile.
//
// # Duties of the caller
//
//  1. Use one machine for each conversation, and call it from one goroutine. Execute effects in
//     order. Change nothing that was given to a machine or came from one, because bytes are shared.
//  2. Treat the names as claims. If the transport proves the peer's identity, set Config.Peer to
//     it. If a holder leaves Peer empty, decide in AskAuthority whether From is really the agent at
//     the other end.
//  3. Bound the frames before they get here: MaxMessage for a holder, MaxInform for an asker. Step
//     Hangup at the end of the stream.
//  4. Call Next after every Step, and step TimeUp at that time. At is Unix ms of the wall clock:
//     the reply-by of one side is compared with the clock of the other, less Config.Slack.
//  5. Answer every question with its event, within Config.Decide, but not after Ended. If Step
//     refuses an answer, nothing has changed: answer otherwise (FetchFailed, no Offer, no
//     acceptance).
//  6. AskAuthority: check Case, Round and Judge against the chain, and that From is that judge's
//     agent. AskTerms: give the owner's offer for the Call's DataSource. If a Call leaves
//     DataSource open, refuse a source in Fetch.
//  7. Fetch: redact secrets before Fetched, because the machine only cuts to the agreement. If data
//     has no canonical form, step FetchFailed. MakeReceipt: sign over the given Data, and
//     Terms.Hash.
//  8. AskProposal: the machine has checked the rules, but not whether price and promises are worth
//     it. Without a PriceLimit it passes on any price.
//  9. Deliver: verify the receipt (signature, request, response and terms hash) before the data is
//     used. If it fails, the holder is at fault: Stop, and penalise. The data is hostile input.
//     Texts of the peer are for logs, quoted.
//  10. Penalise a peer only if Ended.Fault is Theirs. ErrLate and ErrSilent may be the network's
//     fault: a holder that is slow once does not breach.
package anex
