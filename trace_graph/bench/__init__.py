"""The benchmark that ships: what of the evidence is recalled, beside baselines of the same run."""
