"""The documentation: its pages, and in ``docs.site`` what makes a site of them."""
