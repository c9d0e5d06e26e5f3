// Package megabrain plays tasks of known truth with agents that are honest and agents that are not,
// and says what each earns, by the payments of MegaBrain and by those of the protocol as it is
// written. The same sample gives the same figures.
package megabrain
