// Package datasource keeps the data sources of a node with their terms, and answers requests from
// them.
//
// A [Source] has the shape of a tool of the Model Context Protocol (name, description, JSON Schemas
// of request and answer), terms, and an upstream of one of the kinds of the package kind. It stands
// in a file NAME.source.json in the folder "sources" of a node's home, which the owner writes and
// only the owner reads. What peers may see of it is its [Card]; settings of the upstream, secrets
// and the rules of redaction are never on it.
//
// A [Book] holds the sources of a home. It follows the folder: a file that is added, changed or
// removed counts within Config.Poll; one that is broken is reported by Broken, and its last good
// version stays. [Book.Answer] asks a source: it holds the request to the input schema, the
// upstream to its limits, the answer to the output schema, and takes out what must not be given.
// The caller enforces who may ask, how often and at what price, before it calls. The book has the
// terms but does not know the asker.
//
// Errors have classes (ErrRequest, ErrDown, …). Their texts are for the owner. A peer gets the
// fixed words of [Reason].
package datasource
