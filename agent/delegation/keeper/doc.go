// Package keeper decides what the executor of calls remembers: which calls were seen, what was
// spent under each link, which links were taken back, and which calls wait for a person.
//
// Register is pure: Step takes an event and returns effects, in order. Put and Delete come first.
// The caller makes them durable, all or none, before it acts on the others; if that fails, it must
// throw the Register away and load a new one. Load takes back what Put wrote. A call reserves what
// it may spend under each link of its chain before it is admitted, and Settle replaces the
// reservation by what it did spend. So after a crash at any point no link has spent more than its
// budget, and a call that was admitted is among Open until it is settled.
package keeper
