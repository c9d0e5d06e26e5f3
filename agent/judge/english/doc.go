// Package english reads the closed set of English that code understands: the demands of an
// instruction and the claims of an objection. It compares them with a result.
//
// A sentence is understood as a whole or not at all. Code decides nothing by text that it does not
// understand, and nothing by a count that may mean something else, because a wrong rejection takes
// a worker's pay, while an abstention costs one vote.
package english
