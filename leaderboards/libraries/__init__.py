"""Other libraries' agents beside this package's: who plays, what is measured, and the page."""
