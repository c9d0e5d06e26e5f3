// Package status reports the state of a node: to its owner in the log, to programs over the HTTP
// API, and before it starts.
//
//	Checker   finds what would keep a node from judging: chain, program, clock, funds, stake.
//	Monitor   repeats the checks of funds and stake while the node runs.
//	Outcomes  tells the owner what happened to the judge, in sentences.
//	Audit     records what the node did in each case, to explain it later.
//	Reporter  puts the state of the node together.
//	API       serves health, metrics, state and case files.
package status
