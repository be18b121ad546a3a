"""The only package that holds a connection: one function per query, rows in, records out."""
