// Package desk serves the pages on which a party acts: it orders work, takes it, hands in results,
// objects, answers and appeals, in a browser on its own machine.
//
// A desk has one party. Its key is in this process, or in a wallet in the browser, which signs each
// transaction that the desk makes (Wallet Standard). A desk is no node: it asks the chain and the
// nodes of the court as the commands do, through package client, and does what they do.
//
// Each page needs a login by the word that Word returns. A request has to come from this machine to
// a loopback address, and one that changes something has to come from a page of the desk. What
// others wrote is text: it is bounded, escaped, and its invisible characters are made visible.
// ADR 0063 has the reasons.
//
// The caller serves Handler on a loopback address, shows the word to nobody but the party, and
// calls Close at the end.
package desk
