// Package blob keeps content by its SHA-256 as files: tasks, results, objections, opinions, fact
// documents. Each read checks the content against its hash, so that a damaged file is never given
// out. A quota bounds the whole. When it is reached, content without a pin goes, the oldest first.
//
// What a caller must do:
//
//  1. Pin content that a live case, or a case file of the node, names. Unpin it when that is over.
//     Pins survive a restart.
//  2. Treat ErrNotFound as "fetch it again": it may have been evicted or damaged.
//  3. Give the directory to one Store only: the journal's lock does not cover another directory.
package blob
