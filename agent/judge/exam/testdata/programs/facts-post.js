typeof result.post_id === "string" && result.post_id.startsWith("p-")
