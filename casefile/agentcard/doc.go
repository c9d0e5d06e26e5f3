// Package agentcard reads, checks and signs agent cards: what an agent says of itself, in the JSON
// of the A2A 1.0 AgentCard. An extension has what a court needs. A card is a stranger's: everything
// is bounded before it is used, and a card says nothing about who has an endpoint that it names.
package agentcard
