// Package agenttest has models, agents and clients for tests of packages that use package agent: a
// model that follows a script, agents that make given steps, a client that answers calls and
// records events. It is not part of the program.
package agenttest
