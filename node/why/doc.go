// Package why says in plain words what became of a judge in a case: why it was or was not drawn,
// voted as it did, was late, was rewarded or slashed.
//
// Explain is a pure function of Facts: the record of the case, what a node that runs sees on the
// chain, and what the judge's own node kept of what it did (Diary) and of when it ran (Watch). What
// no fact shows is said to be unknown: nothing is guessed.
//
// What a caller must do:
//
//  1. Say how far the record can be trusted (Facts.Proof): what casefile.Verify found in it.
//  2. Keep a Diary for each case in which its judge sits or could not sit, and a Watch, if it is to
//     explain its own failures.
//  3. Show Line.Text to people as it is: words of others in it are quoted, without characters that
//     a terminal obeys.
package why
