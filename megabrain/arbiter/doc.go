// Package arbiter judges disputes about outcomes of MegaBrain's tasks. Such a dispute is
// arithmetic: a judge finds the outcome again, from the claim and from the chain, and accepts the
// claim if this is the outcome that the claimant brought.
package arbiter
