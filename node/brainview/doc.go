// Package brainview reads tasks of MegaBrain for pages and programs: where each stands, who works
// and who evaluates, what they said, which results mean the same, and who was paid.
//
// Figures are from the accounts on the chain. Words are taken only if they have the hashes that the
// accounts have. They are still the words of strangers: who shows them makes them harmless.
package brainview
