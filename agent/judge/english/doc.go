// Package english reads the closed set of English that code understands in an objection, and finds
// the things that a result consists of.
//
// A sentence is understood as a whole or not at all. It proves nothing by itself: it says what the
// creator disputes, and the schema or the checks of the task say whether that is so (ADR 0090). Of
// instructions code reads nothing, because what a sentence demands depends on all the others.
package english
