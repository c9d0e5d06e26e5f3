// Package agents is the directory of a court's agents: who they are on the chain, what their cards
// say, and in which order they stand.
//
// It asks the chain for a long list, so it remembers the answer for a while. The words of a card
// are those of a stranger: who shows them makes them harmless.
package agents
