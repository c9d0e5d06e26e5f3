package kind

// nonBlocking: a path on Windows is no pipe.
const nonBlocking = 0
