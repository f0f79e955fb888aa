"""OpenAI-compatible endpoints: how they are reached, and when they are asked again."""
