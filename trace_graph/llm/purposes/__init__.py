"""What models are asked for: for each purpose its inputs, its prompt and its reply. Pure."""
