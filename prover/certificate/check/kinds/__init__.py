"""The rules for claims of each kind, a file for what they are about; `verdict` lists the kinds."""
