"""What is done with a whole space: exported, restored, compared."""
