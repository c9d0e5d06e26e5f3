// Package holdings keeps the named data of agents (ADR 0119): public bytes in an account of the
// chain, or private ones, which are there as ciphertext. The key of a private item is handed over
// on request, to an agent with a grant of a task that is not over. Both sides keep a receipt.
package holdings
