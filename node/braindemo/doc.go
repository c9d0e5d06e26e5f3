// Package braindemo plays a task of MegaBrain in a devnet: five workers, of whom one copies, one is
// lazy and one is wrong, and three evaluators, of whom one passes everything. That one also posts a
// false outcome, which goes to the court and back. It shows who earned what and why, and checks
// that cheating did not pay and that no lamport was lost.
package braindemo
