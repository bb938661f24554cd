// Draws pages, and Markdown as GitHub shows it: reads a list of pictures from standard input (one is described in
// scripts/pictures/draw.ts), writes each to its file, and prints their text as JSON. Needs Chromium. Markdown is
// sanitized by GitHub's rules, so elements that GitHub would strip are missing here too.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { chromium } from "playwright-core";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import { remarkAlert } from "remark-github-blockquote-alert";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const fileOf = (name) => readFileSync(createRequire(import.meta.url).resolve(name), "utf8");

/** GitHub draws alerts itself, after it has sanitised. */
const withAlerts = {
  ...defaultSchema,
  tagNames: [...defaultSchema.tagNames, "svg", "path"],
  attributes: {
    ...defaultSchema.attributes,
    div: [...(defaultSchema.attributes.div ?? []), ["className", /^markdown-alert/]],
    p: [["className", "markdown-alert-title"]],
    svg: ["viewBox", "width", "height", ["className", "octicon"]],
    path: ["d"],
  },
};

const pictures = JSON.parse(await text(process.stdin));
const browser = await chromium.launch({
  executablePath: browserPath(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
try {
  const seen = [];
  for (const picture of pictures) seen.push(await draw(picture));
  process.stdout.write(`${JSON.stringify(seen)}\n`);
} finally {
  await browser.close();
}

async function draw({ file, markdown, html, frame, dark = false, width = 920 }) {
  const page = await browser.newPage({
    viewport: { width, height: 400 },
    // A page of our own is longer than what GitHub shows.
    deviceScaleFactor: html === undefined ? 1.25 : 1.05,
    colorScheme: dark ? "dark" : "light",
  });
  try {
    // Nothing on the page may reach out.
    await page.route("**/*", (route) => route.abort());
    await page.setContent(html ?? pageOf(await htmlOf(markdown), frame, dark));
    await drawCharts(page, dark);
    const shown = page.locator(html === undefined ? "#shown" : "body");
    await shown.screenshot({ path: file });
    return await page.evaluate(look);
  } finally {
    await page.close();
  }
}

/** What stands on the page that is open. Runs in the browser. */
function look() {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  // Text that is folded has no `innerText`.
  const texts = (elements) => elements.map((element) => element.textContent.trim());
  const wide = all("body *").filter(
    (element) => element.getBoundingClientRect().right > innerWidth + 1 || isCut(element),
  );
  return {
    text: document.body.innerText,
    height: document.body.scrollHeight,
    tables: all("table").map((table) => all("tr", table).map((row) => texts(all("th, td", row)))),
    charts: all(".mermaid svg, section svg").map((chart) => ({
      width: chart.getBoundingClientRect().width,
      height: chart.getBoundingClientRect().height,
      line: chart.querySelector(".line-plot-0 path, [class*=plot] path")?.getAttribute("stroke") ?? "",
    })),
    openDetails: all("details[open]").length,
    details: all("details").length,
    scripts: all("script:not([data-ours])").length,
    // A link in a table scrolls with the table.
    overflowing: wide.map(
      (element) => `${(element.closest("pre, table") ?? element).tagName} ${element.textContent.slice(0, 60)}`,
    ),
  };

  /** Text that is there and cannot be read, or only by scrolling aside. */
  function isCut(element) {
    const { overflowX } = getComputedStyle(element);
    return overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
  }
}

async function htmlOf(markdown) {
  const made = await unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkAlert)
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeRaw)
    .use(rehypeSanitize, withAlerts)
    .use(rehypeStringify)
    .process(markdown);
  return String(made);
}

/** The Markdown's page; with a `frame` in a box like that of a comment, or that of a check with its buttons. */
function pageOf(body, { head = "", buttons = [], fontSize = 16 } = {}, dark) {
  const theme = dark ? "dark" : "light";
  const font = 'body, .markdown-body { font-family: "Liberation Sans", "Noto Color Emoji", sans-serif; }';
  const bar = buttons.map((label) => `<span class="button">${escaped(label)}</span>`).join("");
  const top = head + bar === "" ? "" : `<header><span>${escaped(head)}</span><span>${bar}</span></header>`;
  return `<!doctype html><meta charset="utf-8"><style>${fileOf(`github-markdown-css/github-markdown-${theme}.css`)}
${font}
body { margin: 0; background: ${dark ? "#0d1117" : "#fff"}; color: ${dark ? "#f0f6fc" : "#1f2328"}; }
#shown { padding: 16px; }
.box { border: 1px solid ${dark ? "#3d444d" : "#d1d9e0"}; border-radius: 6px; overflow: hidden; }
header { display: flex; justify-content: space-between; align-items: center; padding: 8px 16px; font-size: 14px;
  background: ${dark ? "#151b23" : "#f6f8fa"}; border-bottom: 1px solid ${dark ? "#3d444d" : "#d1d9e0"}; }
.button { border: 1px solid ${dark ? "#3d444d" : "#d1d9e0"}; border-radius: 6px; padding: 3px 12px; margin-left: 8px;
  background: ${dark ? "#212830" : "#fff"}; font-weight: 600; font-size: 12px; }
article { padding: 16px; box-sizing: border-box; }
.markdown-body { font-size: ${fontSize}px; }</style>
<div id="shown"><div class="box">${top}<article class="markdown-body">${body}</article></div></div>`;
}

function escaped(words) {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

async function drawCharts(page, dark) {
  if ((await page.locator("code.language-mermaid").count()) === 0) return;
  await page.addScriptTag({ content: fileOf("mermaid/dist/mermaid.min.js") });
  await page.evaluate(async (theme) => {
    for (const script of document.querySelectorAll("script")) script.dataset.ours = "yes";
    for (const code of document.querySelectorAll("code.language-mermaid")) {
      const figure = document.createElement("div");
      figure.className = "mermaid";
      figure.textContent = code.textContent;
      code.parentElement.replaceWith(figure);
    }
    globalThis.mermaid.initialize({ startOnLoad: false, theme });
    await globalThis.mermaid.run({ querySelector: ".mermaid" });
  }, dark ? "dark" : "default");
}

function browserPath() {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (found === undefined) throw new Error("no Chromium is installed: apt-get install chromium");
  return found;
}
