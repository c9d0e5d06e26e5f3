result.delivered === "2026-05-06"
