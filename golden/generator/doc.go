// Package generator makes disputes whose true answer is known: golden cases and exams. From a seed
// it makes a task with its document, a result, an objection, a counter-objection, the answer and
// its proof. Anybody who knows the seed makes the same bytes again.
//
// # Why the answer cannot be guessed
//
// A template draws twins: two tasks that differ in one thing, each with its right result. One coin
// says which task is given, another which result. The result is right if the coins agree. So:
//
//   - The result, the objection and the counter-objection do not depend on the first coin. Whoever
//     does not look at the task has seen nothing that tells a right result from a wrong one.
//   - The task does not depend on the second coin. A judge that reads neither the result nor
//     what the parties say about it knows as little.
//
// How well the parties argue, how they write, and whether the result speaks to its judges are drawn
// for themselves. TestTwins proves it dispute by dispute; the tests with classifiers measure it.
//
// # What it does not do
//
// Programs are functions of a list and a number. Their truth is known because the generator runs
// their trees, in which one operator was exchanged. It does not run the text in Go, JavaScript or
// Python that the task shows. Tests do: TestPrograms runs what the generator writes.
//
// # The caller's duties
//
//  1. Draw seeds of 32 random bytes. A small seed can be found by trying.
//  2. Keep a seed secret until its case is over.
package generator
