// Package policy is the laboratory for the rules of the court. It plays disputes whose truth is
// known, with judges that err as recorded or drawn judges do, through the real arithmetic of
// package voting/rules, and says what each strategy earns, what a coalition reaches, and what a
// bribe costs.
//
//   - A pool has judges and cases: recorded or drawn rates of right and wrong votes;
//   - a court is a set of rules: version 1, both presets of version 2, and escalations;
//   - a strategy is the way in which one judge votes;
//   - Run plays all of them; Findings have the figures and the promises of the rules, and write
//     themselves as text and as a picture.
//
// A run follows from its Setup alone: the same seed gives the same figures.
package policy
