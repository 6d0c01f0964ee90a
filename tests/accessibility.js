// Opens a page in Chromium as each reader does, and prints what axe-core finds, as JSON.
// node accessibility.js CHROMIUM MODULES PAGE
"use strict";
const [chromium, modules, page] = process.argv.slice(2);
const load = name => require(require.resolve(name, { paths: [modules] }));

(async () => {
  const browser = await load("puppeteer-core").launch({ executablePath: chromium, args: ["--no-sandbox"] });
  const found = [];
  for (const width of [1280, 390]) for (const scheme of ["light", "dark"]) {
    const tab = await browser.newPage();
    await tab.setBypassCSP(true);  // so that axe-core may be added
    await tab.setViewport({ width, height: 900 });
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await tab.goto(page, { waitUntil: "load", timeout: 120000 });
    await tab.evaluate(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
      for (const article of document.querySelectorAll("article")) article.hidden = false;
    });
    await tab.evaluate(load("axe-core").source);
    const { violations } = await tab.evaluate(() => axe.run());
    for (const { id, help, nodes } of violations)
      found.push({ reader: `${width} px, ${scheme}`, id, help, count: nodes.length, first: nodes[0].html.slice(0, 200) });
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    const widest = await tab.evaluate(() => [...document.querySelectorAll("main *")].find(part =>
      part.getBoundingClientRect().right > window.innerWidth + 1 && !part.parentElement.closest(".wide, svg"))?.outerHTML.slice(0, 200) ?? "");
    if (over > 0) found.push({ reader: `${width} px, ${scheme}`, id: "too-wide", help: "the page is wider than the screen", count: over, first: widest });
    await tab.close();
  }
  await browser.close();
  console.log(JSON.stringify(found));
})().catch(error => { console.error(error); process.exit(1); });
