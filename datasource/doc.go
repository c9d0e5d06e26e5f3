// Package datasource keeps the data sources of a node with their terms, and answers requests from
// them.
//
// A [Source] has the form of a tool of the Model Context Protocol (name, description, JSON Schemas
// of request and answer), terms, and an upstream of one of the kinds of the package kind. Its file
// is NAME.source.json in the folder "sources" of a node's home. The owner writes it and only the
// owner reads it. Peers may see its [Card]. Settings of the upstream, secrets and the rules of
// redaction are never on it.
//
// A [Book] holds the sources of a home. It follows the folder: if a file is added, changed or
// removed, the change takes effect within Config.Poll. If a file is broken, Broken reports it, and
// its last good version stays. [Book.Answer] asks a source. It checks the request against the input
// schema and the answer against the output schema, bounds the upstream, and removes secret parts.
// The caller must check before the call who may ask, how often and at what price. The book has the
// terms but does not know the asker.
//
// Errors have classes (ErrRequest, ErrDown, …). Their texts are for the owner. A peer gets the
// fixed words of [Reason].
package datasource
