"""Each call described without I/O: what is sent, how the answer is read, whether it may be repeated."""
