// Package client acts in an oju court with the key of a person or an agent: it posts, takes,
// answers and disputes tasks, joins and leaves the court, and reads all of it. The program ojud is
// a thin layer over it.
//
//	LoadNetwork  reads network.json, by URL or file
//	Client       acts on the chain with one key, and reads the chain in plain words
//
// Callers do this:
//
//  1. Open a Client, and Close it. Without a key it reads; every action returns ErrNoKey.
//  2. Publish a document after its hash is on the chain, because judges need the document.
//     Publishing again is free.
//  3. After a failed action, look (Task, Agent) before you do it again. Actions on tasks may be
//     repeated: the client reports an action that is done already, and does not pay twice. Deposit,
//     Withdraw and TopUp move money at each call; their errors say whether a transaction may still
//     land. DepositUpTo may be repeated.
//
// Errors are sentences for users. Errors of the program are a program.Code (errors.Is), and errors
// of the ledger have its classes.
package client
