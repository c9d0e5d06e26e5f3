// Package content gets and gives content by its hash: the documents of cases, their exhibits,
// opinions and the cards of sources (protocol section 9, the blob stream).
//
//	Content.Fetch   gets content from here, from likely peers, from the DHT, or from any peer.
//	Content.Brief   gathers the documents of a case for the judge.
//	Content.Serve   answers peers that ask for content, and takes content that a live
//	                task names, and cards that the chain names for agents.
package content
