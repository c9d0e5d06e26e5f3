// Package shelf is the data sources of a node's home, for the program that a person types: it puts one there, lists and shows them,
// tries them, takes one away, and reads who asked for what.
//
// A Draft is what a person says of a source, field by field as the flags of "ojud source add" are called; Shelf.Add makes a source
// file of it, with defaults for what is not said, and tries it before the file is written. A node that runs on the home follows
// the folder by itself (package datasource), so nothing here speaks to one.
//
// What a caller must do: New with the section "sources" of the settings. Errors of a Draft are a *Wrong, which names the flag; the others
// are sentences for people. No secret stands in what this package returns: settings hold references to secrets, answers are
// searched for them, and literal values of headers and variables are not shown.
package shelf
