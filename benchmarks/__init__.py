"""How fast is Actae? One script per question, with its last answer beside it. Run `make bench`."""
