// Package arbiter judges disputes about outcomes of MegaBrain's tasks. Such a dispute is
// arithmetic: a judge finds the outcome again, from the claim and from the chain, and accepts the
// claim if this is the outcome that the claimant brought. Whether a result of a golden task is
// right is no arithmetic: the judge of all other cases says that.
package arbiter
