"""Language models: asked by named prompts, never trusted."""
