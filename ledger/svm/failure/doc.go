// Package failure has the errors of transactions and of instructions, with Agave's numbers, names
// in JSON-RPC, and messages.
package failure
