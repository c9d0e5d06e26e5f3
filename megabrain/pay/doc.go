// Package pay settles a task of MegaBrain: several workers did the same task apart from each other,
// evaluators scored their results, and the budget is divided by what they agree on. It is
// arithmetic on integers, without a clock, a network or a random number, so that everybody who
// settles a task comes to the same lamports.
//
// Settle decides in this order: whose result counts, whether a dominant cluster of results exists,
// what the evaluators agree on for each worker, whether that supports the cluster, and then each
// payment, slash and returned stake with its reason. Where two evaluators disagree, it does not
// guess which one is right: it asks for one more. docs/megabrain.md has the formulas, and where and
// why they differ from those of the MegaBrain Protocol, revision 1.
//
// Scores are hundredths of a point, 0 to 10,000. Shares are basis points. Money is lamports.
package pay
