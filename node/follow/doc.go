// Package follow keeps pages up to date while they are open. It draws each page that somebody looks
// at, once for all its viewers, and sends a new picture when the page changes, as server-sent
// events. Between two pictures it says how old the last look is, so that a page can tell what is
// live from what was heard last. casefile/picture has the script that takes the events.
package follow
