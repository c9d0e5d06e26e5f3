// Package blob keeps content by its SHA-256 as files: tasks, results, objections, opinions, fact
// documents. Each read checks the content against its hash, so that a damaged file is never given
// out. A quota bounds the whole. When it is reached, the least worthy content goes: first content
// that nobody pinned, the oldest first, and then content by the rank and the value of its owners.
// No stranger can take the room of the cases in which this node sits.
//
// What a caller must do:
//
//  1. Keep what others made with Keep, after Rate said what the owner is worth. ErrFull means that
//     there is no room for it. It is no error of the disk: go on without it.
//  2. Keep what the node itself says with KeepOwn.
//  3. Unpin the owner when that is over. Pins survive a restart, merits do not.
//  4. Treat ErrNotFound as "fetch it again": it may have been evicted or damaged.
//  5. Give the directory to one Store only: the journal's lock does not cover another directory.
package blob
