"""The documentation: its pages, and in ``docs.site`` the code that builds a site from them."""
