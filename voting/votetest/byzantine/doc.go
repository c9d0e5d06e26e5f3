// Package byzantine plays one case before a panel of 28 judges, of whom some are in the hand of one
// adversary. The honest judges run the real machine on the stage of package votetest; the adversary
// sees everything first. Play is fast enough for a million rounds.
package byzantine
