"""From a body to a checked, documented mesh."""
