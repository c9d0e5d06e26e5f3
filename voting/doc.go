// Package voting is the pure core of ojud: the machine that plays one node's part in the rounds of
// a court, and the types that the whole project shares for votes and cases.
//
// It imports the standard library alone, does no I/O, starts no goroutine, has no clock and no
// randomness, and never lets the order of a map decide anything. The same events give the same
// effects, so a test can simulate a whole court (package votetest) and replay a failure. The
// arithmetic of the rules is in package rules.
//
// # Bytes and checks
//
//   - Domain.Commitment, Domain.Statement, VerifyStrict and ReceiptsRoot define the hashed and
//     signed bytes (protocol section 3);
//   - DecodeNotice, View.Check and Classify decide what the network may tell a node (section 9);
//   - the methods of Case say when the program accepts which instruction (section 5).
//
// # The machine
//
// A Machine knows some cases, each in one of the states that the chain gives it, and decides what
// to do in each of them:
//
//	state           a node with a seat                      every node, in an order that differs for each piece of work
//	AwaitingDraw    waits                                   draws; after draw_by ends the case
//	Committing      AskJudge ► Cast ► commit                  settles if nothing can come any more
//	Revealing       shows its vote, reveals                 reveals for seats that do not; settles
//	Decided         claims its reward                       files evidence of equivocation
//	EndedUndecided  claims its reward                       forgets the case when the time for evidence is over
//
// From the draw to the end, of an own seat:
//
//	CaseSeen ─► AskJudge ─► OpinionReady ─► Persist(Cast) ─► Testify ─► Announce(Commit) ─► Submit(commit)
//	              │ deadline, OpinionFailed                                                     │
//	              └─► AskAbstain ─► OpinionReady                                     chain: commits are over
//	                                                                                          │
//	                    Submit(claim) ◄─ chain: settled ◄─ Submit(settle) ◄─ Submit(reveal) ◄─ Announce(Vote)
//
// The machine looks at states and not at changes. After every event it works out from the latest
// look at the chain, the time and its own records which work should be under way, and starts the
// missing part. So looks may be missed, repeated or out of order; an older slot than the latest is
// ignored; a newer one that shows an earlier state is a rollback and is adopted. The node never
// takes back a signature: it has at most one vote for a task and round, ever, and casts that one
// again.
//
// A judge that cannot get its commitment to the chain asks the others to (Announce of a Relay), who
// take turns (OpRelayCommit). One that does not see the chain, as its shell says by Tick.Blind,
// shows its vote when enough of the others show theirs.
//
// A node whose journal is new (Restored.Fresh) may have voted before. It does not cast in rounds
// that were drawn before the journal was made until others were asked what it signed (CaughtUp). A
// commitment of its own that the chain shows and no record opens is recovered from the chain
// (RecoverOpening); a statement of its own that it does not know means that it never signs in that
// round, and, unless the journal is new, that another copy of the node is at work (Conflict).
//
// # Duties of the caller
//
// The caller, the shell, is package node. It must:
//
//  1. Create the machine with New and step it first with Restored and every record of the journal.
//     All calls come from one goroutine; a second one is a panic.
//  2. Execute the effects of a Step strictly in order, and the effects of one Step before those of
//     the next. Slow ones (AskJudge, AskAbstain, Submit, CatchUp, RecoverOpening) are started in
//     order and answered by events later.
//  3. Write the Record of a Persist to the disk, synced, before anything that follows it; several
//     in a row may share one write. If that fails it stops the node at once. It refuses a Cast
//     under a key that has a different Cast.
//  4. Give every event the chain's clock as the latest confirmed block has shown it. The clock must
//     never be ahead of the chain, because the machine shows votes as soon as the time to commit is
//     over by this clock. Step Tick when Next is due by this clock. If no block has been seen for
//     some seconds, step Tick with Blind every few seconds.
//  5. Send CaseSeen for every case that changed, from confirmed state with the slot of the look.
//     Send it again every few seconds for each open case that the View lacks, because the machine
//     takes up a case for which it had no room only then. Send CaseGone when there is no account.
//  6. Answer each AskJudge and AskAbstain with OpinionReady or OpinionFailed unless StopJudge comes
//     first, after storing the opinion. The salt is the one derived from the node key; the vote
//     object is signed and at most MaxVote bytes.
//  7. Answer each Submit with exactly one SubmitDone. Look at the chain before sending; persist
//     signature and last valid block height; do not send after Before.
//  8. Answer each CatchUp with the notices that it brought, then CaughtUp with the number of seats
//     that answered, within some seconds. Send PeerConnected for every new connection.
//  9. Hand over only notices that passed View.Check, from any transport, and use Classify for the
//     gossip verdict. A Usable one goes to the machine even if gossip ignores it. Take a View after
//     every Step; it may be used by any goroutine for ever.
//  10. Append a Testify to the case file unless an entry of that kind, round and judge is there;
//     write facts only from a finalized look.
//  11. On Conflict tell the operator, and stop the node if it is proven and the node signed in that
//     round itself. On Forget drop the records whose key begins with the task.
//  12. Change nothing that it gave to the machine or got from it: slices are shared.
//
// # What is assumed
//
// Ed25519 signatures are deterministic (RFC 8032), SHA-256 has no collisions, confirmed blocks are
// rolled back rarely and by less than Params.FreshSlack, and less than a third of a panel lies.
package voting
