// Package homes makes the homes of several judges from one file, and puts their stakes on the
// Roster.
//
// The file is TOML. It has the models, in the form that ojud.toml has them, and for each judge a
// name, a persona, models, data sources, a stake, and further settings. Read checks the whole file
// before anything is made. Drafts.Make may be repeated: it makes what is missing, and changes
// nothing that is there. A devnet takes the same file: Draft.Settings and Draft.Place are what its
// nodes get. A caller gives each judge that runs at the same time a home of its own.
package homes
