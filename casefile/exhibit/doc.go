// Package exhibit reads exhibits that somebody signed by another protocol: x402 offers and
// receipts (JWS or EIP-712), AP2 mandates (SD-JWT), A2CN records, and receipts of data sources of
// this court.
//
// Read says what code found: whether the signature is right, whose key it is, and whether the
// exhibit is about this case. It depends on the exhibit, the task and the parties alone: it fetches
// no key, and has no clock. So every judge finds the same. What it says are words of code: of the
// exhibit it repeats amounts, times and addresses only.
//
// Nothing here decides a case. A signature proves who said something, and not that it is true.
package exhibit
