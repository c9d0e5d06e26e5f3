// Package remote is a memory node over HTTP and libp2p, from both sides.
//
// Over libp2p, a frame has one request or answer of HTTP, so both ways have the same calls:
//
//	GET  /memory/v1/head                   the newest tree head, a signed note
//	GET  /memory/v1/conditions             what the node offers
//	POST /memory/v1/artifacts?seconds=N    keep the body for N seconds: a receipt
//	GET  /memory/v1/artifacts/{hash}       the artifact
//	GET  /memory/v1/proofs/{hash}          the receipt of its longest promise
//	GET  /memory/v1/promises/{index}       the receipt of a promise by its place
//	GET  /memory/v1/consistency?old=&new=  how the log of old promises goes on to that of new
//	POST /memory/v1/audits                 answers to the question of an audit
//
// Errors are RFC 9457 problems. The client believes nothing: it checks each proof, and that the log
// goes on with the head that it saw last.
package remote
