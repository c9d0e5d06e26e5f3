const edge = "+" + "-".repeat(18) + "+", side = "|" + " ".repeat(18) + "|";
result.box === [edge, side, side, side, edge].join("\n")
