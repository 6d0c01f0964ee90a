"""Sphinx's configuration. ``python -m docs`` writes the pages that it reads, and then runs it."""

import os
from pathlib import Path

import banditgym

_VENDORED = Path(__file__).parent / "vendored"

project = "banditgym"
author = "the banditgym developers"
project_copyright = author
version = release = banditgym.__version__

extensions = [
    "docs.site.module_references",
    "docs.site.signatures",
    "docs.site.tutorial_downloads",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["files/**", "**/sg_execution_times.rst", "sg_execution_times.rst"]
nitpicky = True
nitpick_ignore = [("py:data", "FAR")]  # a constant of banditgym.elementary
default_role = "literal"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
autosummary_generate = False  # ``docs.site.reference_pages`` writes the pages
numpydoc_show_class_members = False
numpydoc_xref_param_type = False  # types are prose: "ndarray of shape (n,)"

myst_enable_extensions = ["colon_fence", "dollarmath", "amsmath", "deflist", "attrs_block"]
myst_heading_anchors = 4
suppress_warnings = [
    "myst.header",  # papers' pages begin their claims at any level
    "ref.citation",  # a module's references are named by its functions, which write them out
]

bibtex_bibfiles = ["../reference/references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

intersphinx_mapping = {
    name: (address, str(_VENDORED / f"inventories/{name}.inv"))
    for name, address in {
        "python": "https://docs.python.org/3/",
        "numpy": "https://numpy.org/doc/stable/",
        "gymnasium": "https://gymnasium.farama.org/",
    }.items()
}

sphinx_gallery_conf = {
    "examples_dirs": str(Path(__file__).parents[1] / "tutorials"),
    "gallery_dirs": "tutorials",
    "plot_gallery": os.environ.get("BANDITGYM_DOCS") != "quick",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**9,  # pages hold no times
    "write_computation_times": False,
    "remove_config_comments": True,
    "capture_repr": (),  # a line that draws is no result; what is printed is shown
    "copyfile_regex": r".*\.none",
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = f"banditgym {release}"
html_static_path = ["static", "vendored/mathjax"]
html_css_files = ["banditgym.css"]
mathjax_path = "tex-svg.js"
html_show_search_summary = False  # it is fetched, which a page in a folder cannot do
html_copy_source = False
html_domain_indices = html_use_index = False  # the API reference lists modules and names
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "banditgym"},
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "show_prev_next": False,
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
# These pages have no sidebar: it would list the pages of their section, and they have none.
html_sidebars = {
    name: [] for name in ("index", "start/index", "reference/changelog", "404", "search")
}
