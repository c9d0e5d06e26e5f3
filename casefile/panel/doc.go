// Package panel says how many independent votes the votes of a panel were worth (protocol section
// 10, ADR 0017).
//
// Judges with models of one family make the same errors, so 28 votes can be worth as few as two.
// The estimate starts from a prior for each pair of families and learns from earlier rounds in
// which both judges sat.
package panel
