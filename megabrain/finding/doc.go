// Package finding says of the results of one task what a chain cannot compute: which mean the same,
// how complete each is, which are copies of others, which are no effort, and which evaluators say
// the same of everything. Everybody who has the results comes to the same finding.
package finding
