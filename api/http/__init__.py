"""HTTP: how requests are read, responses written, errors returned and operations declared."""
