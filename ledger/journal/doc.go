// Package journal is a node's durable memory: what it signed, what it heard, what it sent, and how
// far it has read the chain. It is a Badger database with synchronous writes, and beside it a plain
// file for every vote of the node's own.
//
// What a caller must do:
//
//  1. Persist before sending. A method that returned nil has the data on the device; one that
//     returned an error may or may not have, and nothing that depends on it may be sent.
//  2. Stop the node on every error of a write other than ErrTooLarge and ErrInvalid;
//     ErrWouldEquivocate says that another copy of the node, or a fault, tried to vote twice. After
//     a failed write the journal refuses all others (ErrBroken), because the content of the device
//     is not known any more (the sync of a page that failed once says nothing when it succeeds the
//     next time).
//  3. Give Fresh to voting.Restored. It is true until a voting.Born was persisted, so that a node
//     that was killed in its first second still knows that an earlier journal may have been lost.
//  4. Put records that belong together into one call: each call is one transaction and pays one
//     sync of the disk. There is no group commit: writers at the same time pay for one each
//     (BenchmarkBatch shows the price).
//
// What a crash can do. Badger with SyncWrites loses nothing that was acknowledged, in a kill or a
// power cut (TestKill, TestPowerCut). It cannot survive a disk that forgets or damages acknowledged
// data: Badger then drops the records after the damage, and opens. Own votes are therefore kept
// twice: Open compares both and restores what one lacks. All else that is lost can be had again:
// the chain has the commitments, reveals and the sealed openings, the peers have the notices and
// the case files. That is why a journal that cannot be opened may be moved away: the node starts
// with an empty one, and asks the chain and its peers for its own votes before it signs anything.
// Only the decided rounds of cases that the chain has closed are gone then: the exports of that
// node say less about the agreement of panels.
//
// What an operator may ask, and where the answer is:
//
//   - Is a write slow? histogram ojud_journal_commit_seconds, by kind.
//   - Did the journal refuse writes? counter ojud_journal_failures_total, by reason. Alert when it
//     is not 0.
//   - Were own votes restored from the second copy? counter ojud_journal_restored_total: the disk
//     is damaged.
//   - How large is it? gauges ojud_journal_lsm_bytes, ojud_journal_vlog_bytes and
//     ojud_journal_free_bytes.
package journal
