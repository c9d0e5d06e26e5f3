// Package agenttest has models, agents and clients for tests of what uses package agent: a model that says what its script says, agents that
// make the steps they are given, a client that answers calls and writes down what happened. It is no part of the program.
package agenttest
