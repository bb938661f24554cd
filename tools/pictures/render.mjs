// Draws Markdown as GitHub shows it in a comment or a job summary: node render.mjs IN.md OUT.png
// The page is sanitised by GitHub's own rules, so what would be stripped there is missing here too. Needs a Chromium.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import rehypeRaw from "rehype-raw";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import { remarkAlert } from "remark-github-blockquote-alert";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";

const [input, output] = process.argv.slice(2);
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

const body = String(
  await unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkAlert)
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeRaw)
    .use(rehypeSanitize, withAlerts)
    .use(rehypeStringify)
    .process(readFileSync(input, "utf8")),
);

const browser = await chromium.launch({
  executablePath: browserPath(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
try {
  const page = await browser.newPage({ viewport: { width: 920, height: 400 }, deviceScaleFactor: 1.5 });
  // Nothing on the page may reach out.
  await page.route("**/*", (route) => route.abort());
  await page.setContent(html(body));
  if (body.includes("language-mermaid")) await drawCharts(page);
  await page.locator("article").screenshot({ path: output });
} finally {
  await browser.close();
}

function html(body) {
  const font = 'body, .markdown-body { font-family: "Liberation Sans", "Noto Color Emoji", sans-serif; }';
  return `<!doctype html><meta charset="utf-8"><style>${fileOf("github-markdown-css/github-markdown-light.css")}
${font} body { margin: 0; } article { padding: 24px; box-sizing: border-box; }</style>
<article class="markdown-body">${body}</article>`;
}

async function drawCharts(page) {
  await page.addScriptTag({ content: fileOf("mermaid/dist/mermaid.min.js") });
  await page.evaluate(async () => {
    for (const code of document.querySelectorAll("code.language-mermaid")) {
      const figure = document.createElement("div");
      figure.className = "mermaid";
      figure.textContent = code.textContent;
      code.parentElement.replaceWith(figure);
    }
    globalThis.mermaid.initialize({ startOnLoad: false, theme: "default" });
    await globalThis.mermaid.run({ querySelector: ".mermaid" });
  });
}

function browserPath() {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (found === undefined) throw new Error("no Chromium is installed: apt-get install chromium");
  return found;
}
