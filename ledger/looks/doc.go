// Package looks has what a watcher shows: the chain's time, and how cases were in a slot. It keeps
// looks until they are taken, the newest of each case.
package looks
