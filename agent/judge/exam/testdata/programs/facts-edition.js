result.title === "Salt and Tide" && result.first_edition === Math.min(2011, 1987, 1994)
