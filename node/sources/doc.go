// Package sources manages the data sources of a node's home for the command line: it adds, lists,
// shows, tries and removes them, and reads the log of peers' requests.
//
// A Draft is a person's description of a source on the command line. Home.Add makes a source file
// from it, with defaults for the rest, and tries the source before it writes the file. A running
// node follows the folder by itself (package datasource), so this package speaks to no node. The
// kinds of sources bring their own flags, schemas and sample requests (package kind), so this
// package names none of them.
//
// The caller calls New with the section "sources" of the settings. An error in a Draft is a
// *kind.FlagError. Other errors are sentences for people. Results of this package contain no
// secret: settings hold references to secrets, answers are searched for them, and literal values of
// headers and variables are hidden.
package sources
