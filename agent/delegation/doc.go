// Package delegation lets one agent allow another to act for it, by UCAN 1.0: signed tokens that
// form a chain from the agent that something belongs to (the subject) to the agent that calls.
//
// A Delegation is one link of such a chain, and an Invocation is a call that names its chain.
// Verify checks a call with its whole chain by the specification. Scope are what a delegation of
// ojud says: allow, deny, budget, time and approval domains. A link may only narrow the terms of
// the link before it; Profile refuses anything wider and names the field. Refusals have the names
// of the specification.
//
// The package is pure: it has no clock, no files and no network. Its caller gives the time, finds
// the tokens that an invocation names, remembers what it has seen, spent and revoked
// (agent/delegation/allowance), and holds the keys. Tokens are hostile until Verify or Grant
// accepted them; everything that is decoded is bounded.
package delegation
