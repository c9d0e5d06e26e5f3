package kind

// nonBlocking is 0 because a path on Windows is never a pipe.
const nonBlocking = 0
