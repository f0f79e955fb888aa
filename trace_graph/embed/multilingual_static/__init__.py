"""The weights of the default embedder; README.md beside this file says where they come from."""
