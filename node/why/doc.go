// Package why explains in plain words what happened to a judge in a case: why it was or was not
// drawn, voted as it did, was late, was rewarded or slashed.
//
// Explain is a pure function of Facts: the record of the case, the chain as a running node sees it,
// the judge's own node's record of its actions (EventLog), and the times when it ran (Uptime). If
// no fact shows something, the answer says that it is unknown. Explain never guesses.
//
// What a caller must do:
//
//  1. Say how far the record can be trusted (Facts.Proof): the finding of verify.File.
//  2. Keep an EventLog for each case in which its judge sits or could not sit, and an Uptime, if it
//     should explain its own failures.
//  3. Show Line.Text to people as it is: words of others in it are quoted, without characters that
//     control a terminal.
package why
