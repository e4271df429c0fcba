"""Many cases at once: studies, on this machine or as jobs of a cluster's scheduler."""
