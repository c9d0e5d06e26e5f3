// Package blob keeps content by its SHA-256 as files: tasks, results, objections, opinions, fact
// documents. What is read is checked against its hash, so that a damaged file is never given out. A
// quota bounds the whole; when it is reached, what nobody pinned goes, the oldest first.
//
// What a caller must do:
//
//  1. Pin what a live case or a case file that the node keeps names, and unpin it when that is
//     over. Pins survive a restart.
//  2. Treat ErrNotFound as "fetch it again": it may have been evicted or damaged.
//  3. Give the directory to one Store only: the journal's lock does not cover another directory.
package blob
