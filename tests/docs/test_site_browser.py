"""The site in a browser, from its folder: no requests elsewhere, no errors, no page too wide."""

import json
import re
import shutil
import subprocess

import pytest

NO_ORIGIN = "not an origin"  # of what Chromium asks its makers for, whatever page is shown
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# Pages within frames of a given width, in a theme; what is too wide is written into the title.
FRAMES = """<!doctype html><title>wait</title><body><script>
localStorage.setItem("mode", "%(theme)s"); localStorage.setItem("theme", "%(theme)s");
const pages = %(pages)s, found = {};
function next() {
  const page = pages.shift();
  if (!page) { document.title = "done " + JSON.stringify(found); return; }
  const frame = document.createElement("iframe");
  frame.style = "width: %(width)spx; height: 900px; border: 0";
  frame.onload = () => setTimeout(() => {
    const inside = frame.contentDocument, root = inside.documentElement;
    const parts = [".bd-main", ".bd-content", ".bd-article-container"];
    const boxes = [root, inside.body, ...parts.map((part) => inside.querySelector(part))];
    const hidden = boxes.filter(Boolean).map((box) => box.scrollWidth - box.clientWidth);
    const code = [...inside.querySelectorAll(".bd-article pre")];
    const links = [...inside.querySelectorAll(".bd-article pre a")];
    found[page] = [Math.max(...hidden), Math.max(root.scrollWidth, inside.body.scrollWidth),
                   root.dataset.theme, inside.querySelectorAll("mjx-container").length,
                   Math.max(0, ...code.map((box) => box.scrollWidth - box.clientWidth)),
                   links.filter((a) => getComputedStyle(a).whiteSpace != "pre").length];
    frame.remove(); next();
  }, 150);
  frame.src = "%(site)s/" + page + ".html";
  document.body.appendChild(frame);
}
next();
</script></body>"""

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium"),
]


def chromium(folder, url, width=1400, budget=300_000):
    """The document of a page after its scripts, what its console said, and what it requested."""
    log = folder / "net.json"
    done = subprocess.run(
        [
            str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--no-pings",
            "--disable-default-apps", "--disable-sync", "--disable-client-side-phishing-detection",
            "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files",
            "--enable-logging=stderr", "--v=0", f"--log-net-log={log}",
            f"--user-data-dir={folder / 'profile'}", f"--virtual-time-budget={budget}",
            f"--window-size={width},1000", "--dump-dom", url,
        ],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    console = [line for line in said if "[PST]:" not in line]  # notes of the theme
    return done.stdout, console, requests(log)


def requests(log):
    """The addresses of other machines that pages asked for; Chromium's own have no origin."""
    text = log.read_text()
    try:
        events = json.loads(text)["events"]
    except json.JSONDecodeError:  # the browser left before it closed the list
        events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
    asked = [event.get("params", {}) for event in events]
    urls = {one["url"] for one in asked if one.get("initiator", NO_ORIGIN) != NO_ORIGIN}
    return sorted(url for url in urls if re.match(r"(https?|wss?):", url))


@pytest.mark.parametrize(
    ("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_pages_fit_and_are_silent(site, tmp_path, width, theme):
    html = site / "html"
    # All but the sources of modules, which are code alone; in the dark, where only colours differ,
    # one in eight.
    pages = [
        path.relative_to(html).with_suffix("").as_posix()
        for path in sorted(html.rglob("*.html"))
        if path.relative_to(html).parts[0] not in ("_modules", "_static")
    ][:: 8 if theme == "dark" else 1]
    frames = tmp_path / "frames.html"
    frames.write_text(
        FRAMES
        % {
            "theme": theme,
            "pages": json.dumps(pages),
            "width": width,
            "site": html.as_uri(),
        }
    )
    document, console, asked = chromium(tmp_path, frames.as_uri())
    title = re.search(r"<title>done (.*?)</title>", document)
    assert title, document[:500]
    found = json.loads(title[1])
    assert found.keys() == set(pages)
    assert len(pages) > (20 if theme == "dark" else 150)
    for page, (hidden, page_width, shown, _, code, broken) in found.items():
        assert hidden == 0, page  # nothing has to be scrolled sideways but tables and code
        assert page_width <= width, page
        assert shown == theme, page
        assert broken == 0, page  # a name with a link does not end its line of code
        # Whoever begins sees each line of code whole.
        assert page != "start/index" or width < 1280 or code == 0
    assert sum(formulas for _, _, _, formulas, *_ in found.values()) > 50  # they were drawn
    assert console == []
    assert asked == []


def test_search_works_from_a_folder(site, tmp_path):
    document, console, asked = chromium(
        tmp_path, (site / "html/search.html").as_uri() + "?q=StarvationBandit"
    )
    results = re.search(r'<ul role="list" class="search".*?</ul>', document, re.DOTALL)
    assert results
    assert "environments/StarvationBandit-v0.html" in results[0]
    assert console == []
    assert asked == []


def test_a_request_would_be_seen(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        '<link rel="stylesheet" href="https://fonts.googleapis.com/css">'
        '<img src="https://example.org/x.png"><iframe src="https://example.org/frame"></iframe>'
        '<script>console.error("heard"); new WebSocket("wss://example.org/socket")</script>'
    )
    _, console, asked = chromium(tmp_path, page.as_uri(), budget=2000)
    assert asked == [
        "https://example.org/frame",
        "https://example.org/x.png",
        "https://fonts.googleapis.com/css",
        "wss://example.org/socket",
    ]
    assert any("heard" in line for line in console)
