// Package verify checks a case file offline: its form, its signatures, the hash chain of each
// judge, the draw, the votes, the tally and the money. The Report says which checks passed, which
// failed, which could not run because of them, and what a reader should know besides.
//
// The caller should give Anchors: without them a file proves only that its signers agree with each
// other, not that they are the judges of a certain court.
package verify
