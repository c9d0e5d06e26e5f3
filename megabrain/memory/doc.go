// Package memory has what memory nodes of MegaBrain promise, and the proofs by which anybody checks
// it without the node: signed tree heads, inclusion and consistency proofs, audits, and exposures
// of a node that has two histories.
//
// A memory node keeps artifacts (results, attachments, evaluations) by their SHA-256. It writes a
// Promise for each into a transparency log (RFC 6962), and signs a TreeHead over all promises. A
// log only grows: a node that takes a promise back, or shows two logs to two people, has signed two
// heads that do not fit together. Exposure is that, in one document that verifies offline.
//
// An audit asks for random parts of random artifacts. The salt chooses them, so a node has to have
// them all. A document that verifies shows that the node had these parts, or got them from
// somebody, after the salt was known.
package memory
