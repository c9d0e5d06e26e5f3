// Package exchange requests data from other nodes and answers their requests. It has both sides of
// a data conversation over a stream of frames (docs/protocol.md, sections 10 and 12). Package anex
// negotiates the terms. This package drives its machines and decides what they ask: who may request
// data, at which rate and price, whether an answer and its receipt are valid, and which holder is
// next.
//
// # The holder
//
//	h, err := exchange.NewHolder(cfg.Holder, exchange.HolderDeps{…})
//	host.HandleStream("data", …, func(ctx, stream) error {
//		_, err := h.Serve(ctx, did(stream.Peer()), framed{stream}) …
//	})
//
// A holder checks a conversation in this order: whether there is room for it; whether the peer may
// ask (Authority checks its seat on the chain); the terms (the book's card, one version for the
// whole conversation). For each request it then checks the limits of the terms (the rate of the
// judge and of all judges, the quota of the case, debts). It takes the answer of the book, cuts it
// to the agreed fields, signs a receipt, keeps it (HolderDeps.Keep) and records the debt before it
// sends the answer. The peer learns the reason of a failure in fixed words. The [Log] has who asked
// what.
//
// # The requester
//
//	d, err := exchange.NewRequester(cfg.Requester, exchange.RequesterDeps{…})
//	s, err := d.Open(ctx, exchange.Evaluation{…})    // one evaluation of one judge in one round
//	answers, err := s.Ask(ctx, "posts", request)     // any number of goroutines
//	s.Record(), s.Receipts()                         // for the case file and the vote
//	s.Close()
//
// The requester asks this node's own source, if there is one, and one holder beside it; otherwise
// it asks two holders. If a holder refuses, fails, is slow or breaks a rule, the next one from the
// Finder replaces it at once. If answers contradict each other, it asks a third holder. It returns
// all answers.
//
// Before it asks holders, the [Sharer] asks a few judges of the round for their answers, and all of
// them if the holders gave too little (docs/adr/0015-shared-answers.md). [Requester.SharedReceipts]
// returns what this node shows to other judges.
//
// # Payment
//
// An answer with a price is paid after it was verified. The requester's [Purse] makes a voucher,
// which goes to the holder in the same conversation (INFORM, with the requester's own data), and
// the holder's [Till] takes it. Until then the judge owes it: the holder writes the Debt before it
// sends the answer. A judge that owes HolderConfig.MaxUnpaid answers gets no more until it sends a
// voucher. The requester does so by itself for the vouchers that Purse.Vouchers returns.
//
// # Duties of the caller
//
//  1. Stream: frames have at most [MaxToHolder] and [MaxToAsker] bytes, and the transport enforces
//     these limits too. The transport proves the peer. A read may take as long as HolderConfig
//     allows a silent peer, one minute. A write needs its own limit. Close ends both. The Stream of
//     package p2p lacks ctx in ReadMsg (Close ends it) and ErrOversized for its ErrFrameTooLarge.
//  2. Authority reads the chain for each call, or uses a recent read. Its errors are those of
//     seat.go. A node that has not caught up returns ErrNotKnown. Penalize an asker only if
//     Ended.Fault is Theirs.
//  3. Blame is not proof. Its classes say how sure it is (see [Class]).
//  4. Open one session for each evaluation. A session asks each question once, and a failure is
//     final. Record the bodies in the case file before the vote, in their order, with the answers'
//     Hash for the receipts root. No later session repeats a question that a session before a
//     restart has recorded.
//  5. The content of an answer is hostile. This package neither reads nor changes it. The judge
//     must flag text that looks like an instruction.
//  6. Errors of Ask have five classes, those of the judge's Evidence. They and the record have
//     fixed words and no text of a peer.
//  7. Close sessions and the log. Everything that they started has then ended.
//
// Finder, Dial, Authority.Check, Keep, Till and Book.Answer return when their ctx ends. Blobs.Keep,
// Sign, Clock, Purse and Debts do not block for long.
package exchange
