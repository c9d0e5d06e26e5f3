// Package deploy puts a program onto a Solana cluster by the upgradeable loader (loader-v3), and
// upgrades it.
//
// Look says what is there, what is missing and what it costs, and sends nothing. Run does it. A run
// that died is continued by the next one: the buffer, into which the program is written in pieces,
// has an address that follows from the payer's, so its rent and its pieces are found again. Refund
// gives the rent of such a buffer back.
//
// The caller must
//
//  1. show the Survey to whoever pays before Run, because Run pays;
//  2. keep the key of the program's address until Run has returned, and afterwards the payer's,
//     which may upgrade the program;
//  3. give a run that goes on the same Wanted as the one that died, unless it is abandoned.
package deploy
