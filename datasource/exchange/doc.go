// Package exchange is how one node gets data of another: the two sides of a data conversation over any line of frames, and the desk at which
// a judge asks (seed 000 "access data", protocol sections 10 and 12). Terms are negotiated by package anex; this package
// drives its machines, and decides what they ask: who may ask, at what rate and price, whether an answer and its receipt hold, whom to ask
// next.
//
// # The side that answers
//
//	h, err := exchange.NewHolder(cfg.Holder, exchange.HolderDeps{…})
//	host.HandleStream("data", …, func(ctx, stream) error { _, err := h.Serve(ctx, did(stream.Peer()), line{stream}) … })
//
// A conversation goes: is there room for it; who asks (Authority: the seat, against the chain); on which terms (the book's card, one version a
// conversation); then, for each request, what the terms bound (rate of the judge and of all, quota of the case, debts), the answer
// of the book, cut to what was agreed, a signed receipt, kept (HolderDeps.Keep) and owed for before it leaves. What a peer is told of a
// failure is one of a set of fixed words. Who asked what is in the [Log].
//
// # The side that asks
//
//	d, err := exchange.NewRequester(cfg.Desk, exchange.RequesterDeps{…})
//	s, err := d.Open(ctx, exchange.Evaluation{…})    // one evaluation of one judge in one round
//	answers, err := s.Ask(ctx, "posts", request)     // any number of goroutines
//	s.Record(), s.Receipts()                         // for the case file and the vote
//	s.Close()
//
// The own source is asked if there is one, and beside it one holder; else two holders. One that refuses, fails, is slow or breaks a rule is
// replaced at once by the next that the Finder knows. Answers that contradict each other bring in a third. All of them are returned.
//
// Before holders are asked, the [Sharer] asks a few judges of the round what they were answered, and all of them when holders gave too little (ADR
// 0015). [Desk.SharedReceipts] is what others may be told of this desk's answers.
//
// # Payment
//
// An answer with a price is paid when it has been verified: the asker's [Purse] makes a voucher, which goes to the holder in the same conversation
// (INFORM, asker's own data), where the [Till] takes it. Until then the judge owes it: Debt is written before the answer leaves. Who owes
// HolderConfig.Credit answers gets no more until it shows a voucher, which the desk does by itself for those that Purse.Vouchers returns.
//
// # Duties of the caller
//
//  1. Stream: frames of at most [MaxToHolder] and [MaxToAsker] bytes, which are limits of the transport too; the peer as the transport proves it.
//     A read may take as long as HolderConfig allows a silent peer, one minute; a write should have a limit of its own. Close ends both.
//     What p2p's Stream lacks is ctx in ReadMsg (Close ends it) and ErrOversized for its ErrFrameTooLarge.
//  2. Authority looks at the chain each time, or at what was seen of it a moment ago; its errors are those of seat.go. A node that has
//     not caught up says ErrNotKnown. Penalise an asker for Ended.Fault Theirs alone.
//  3. Blame is not proof. Its classes say how sure it is (see [Class]).
//  4. One session an evaluation; its questions are asked once, and what failed has failed. Record the bodies in the case file before the vote, in
//     that order, with the answers' Hash for the receipts root; what a session before a restart has recorded is repeated by no other.
//  5. An answer's content is hostile. It is neither read nor changed here: what looks like an instruction is for the judge to flag.
//  6. Errors of Ask are of five classes, which are those of the judge's Evidence. They and the record have fixed words, no text of a peer.
//  7. Close sessions and the log. Everything that was started has ended then.
//
// Finder, Dial, Authority.Check, Keep, Till and Book.Answer return when their ctx ends; Blobs.Put, Sign, Clock, Purse and Debts do not block for long.
package exchange
