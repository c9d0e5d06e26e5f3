// Package megabrain acts on tasks of MegaBrain's program with a client's key: it registers workers
// and evaluators, keeps what they committed to until it is revealed, finds the outcome of a task,
// posts it or brings it to the court, and carries tasks on when their time has come.
package megabrain
