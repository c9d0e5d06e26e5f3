// Package client is what a person or an agent does with a key of its own in an oju court: post,
// take, answer and dispute tasks (creator and worker), join and leave the court (judge), and look
// at all of it. The program ojud is a thin layer over it.
//
//	LoadNetwork  finds out which court: a network.json, by URL or file.
//	Client       acts on the chain with one key, and reads the chain in plain words.
//	Library      brings documents to nodes and gets them from nodes (protocol section 9). It needs no chain and no key.
//	Local        asks the node that runs on this machine: status, case files.
//
// What a caller must do:
//
//  1. Open a Client, and Close it. Without a key it can read, and every action is ErrNoKey.
//  2. After a document's hash is on the chain, Publish the document: judges judge what they can read. Publishing again is free.
//  3. After an error of an action, look (Task, Agent) before doing it again. Actions on tasks may be repeated: what is done
//     already is reported as done, and not paid twice. Deposit, Withdraw and TopUp move money each time they are called; the
//     error says when a transaction may still land. DepositUpTo may be repeated.
//
// Errors are sentences for people. Those of the program are a program.Code (errors.Is), those of
// the ledger its classes.
package client
