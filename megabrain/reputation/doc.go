// Package reputation keeps what is known about workers and evaluators of MegaBrain: by role and by
// class, from golden tasks and from final outcomes, and less and less as it gets old. It decides
// who is drawn how often, it finds evaluators that do not look at what they score, and it lets
// agents vouch for others with what they have.
//
// A golden task is one whose right result was committed in advance. Tells says whether the scores
// of an evaluator tell planted right results from planted wrong ones. Agreement with others earns
// something only as far as golden tasks earn it, too: agents that agree with each other about
// everything have no reputation.
//
// It is arithmetic on integers, without a clock or a random number, so that everybody who reads the
// same events comes to the same numbers, and a program on chain can compute them.
package reputation
