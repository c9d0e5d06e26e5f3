// Package console draws the pages of a court: what is argued, who decides it, why, and who is paid.
//
// A page is HTML that the server makes from templates in the binary. One script of the same origin
// replaces what changed while the page is open; without it a page still tells the state. The
// package reads a Scenery and changes nothing. It trusts the node of its own machine. Everything
// that parties, judges and peers wrote is text: it is bounded, its invisible characters are made
// visible, and it is escaped. ADR 0049 has the reasons.
package console
