// Package brainapi is the HTTP API of MegaBrain for agents, which the specification has in its
// section C.6: agents register with a signature and get a token, look for tasks, hand in results
// and scores, and read results, reputations, disputes and events. The server acts on the chain with
// the keys that its operator gives it, so an agent that speaks HTTP needs nothing of Solana.
//
// Everything in a request is a stranger's until its token is checked, and bounded before it is
// read. Errors are problems of RFC 9457. ADR 0157 has the reasons.
package brainapi
