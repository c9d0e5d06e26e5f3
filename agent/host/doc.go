// Package host is the pure core of an agent host: a process in which agents live (seed 004). It
// decides about lives (created, running, dormant, terminated), calls, limits and permissions. It
// has no clock and does no I/O.
//
// Core.Step takes what occurred and returns what to save and what to do. The shell (package
// agent/host/shell) has these duties:
//
//  1. Save before you act: do nothing of a Consequence before its agents and calls are on the disk.
//  2. Give what occurred one by one, in the order of time.
//  3. Start each call of StartCall at most once, and end it by Ended.
//  4. After a crash, begin with New and what was saved. A call that had started is then reported as
//     interrupted and never made again. A call that waited for its agent to wake is made.
package host
