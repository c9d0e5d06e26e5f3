// Package evidence connects the data of a node with the network: it asks other nodes for the data
// that a task names, and answers them from the node's own sources (protocol section 12).
//
//	Evidence.Open     opens the desk at which the judge asks in one evaluation.
//	Evidence.Query    asks for a person, outside of any case file.
//	Evidence.Holders  lists who has a source.
//	Evidence.Jobs     is the background work: offers, announcements and payments.
//
// One search finds the holders of a source. It looks in three places: the directory of
// announcements, the DHT, and a call on the data topic.
package evidence
