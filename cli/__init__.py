"""The front door: one verb a module, imported when it is called."""
