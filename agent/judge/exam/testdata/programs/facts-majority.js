// Two of three holders say so.
result.seats === 412
