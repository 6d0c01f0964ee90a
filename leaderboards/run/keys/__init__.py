"""Keys of rows: hashes of the sources that a result depends on."""
