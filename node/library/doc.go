// Package library brings documents to the nodes of a court, and gets them from there. It needs no
// chain and no key of a person.
//
// A Document is content with its hash: a task, a result, an objection with its exhibits. Its
// readers refuse a file that judges could not use, before money is locked for it.
//
// Callers publish a document after its hash is on the chain, because nodes take only what a task
// names. Publishing again is free. Errors are sentences for users.
package library
