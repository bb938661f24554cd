import { expect, test } from "vitest";
import { quoteMarkdown } from "../../src/render/quote.ts";

test.each([
  ["**bold**, `code`\n- a list", "> **bold**, `code`\n> - a list"],
  ["a [link](https://x.test)", "> a \\[link\\](https:&#8203;//x.test)"],
  ["![image](//x.test/a.png)", "> \\!\\[image\\](//x.test/a.png)"],
  ["<img src=x> &amp;", "> &lt;img src=x> &amp;amp;"],
  [
    "@octocat fixes #12, GH-3 www.x.test",
    "> @&#8203;octocat fixes #&#8203;12, GH-&#8203;3 www.&#8203;x.test",
  ],
  ["# Heading\n> inner", "> \\# Heading\n> \\> inner"],
  ["```mermaid\ngraph\n```", "> ```\n> graph\n> ```"],
  ["```js\nif (a < b) @octocat\n```\n@octocat", "> ```\n> if (a < b) @octocat\n> ```\n> @&#8203;octocat"],
  ["- ```\n@octocat\n```\n@hubot", "> - \\`\\`\\`\n> @&#8203;octocat\n> ```\n> @hubot\n> ```"],
  ["```\ncode\n    ```\n@octocat", "> ```\n> code\n>     ```\n> @octocat\n> ```"],
  [
    "```\ncode\n\u00a0```\n\t```\n```\n@octocat",
    "> ```\n> code\n> \u00a0```\n>     ```\n> ```\n> @&#8203;octocat",
  ],
  ["a\n\n    ```\n@octocat", "> a\n>\n>     \\`\\`\\`\n> @&#8203;octocat"],
  ["   ~~~\ncode\n  ~~~~  \n@octocat", "> ~~~\n> code\n>   ~~~~\n> @&#8203;octocat"],
  ["`Array<string>` and ` alone", "> `Array<string>` and \\` alone"],
  ["costs $5 and $6", "> costs \\$5 and \\$6"],
  ["\u001b[31mred\u202e", "> red"],
])("%j is quoted as %j", (text, quoted) => {
  expect(quoteMarkdown(text)).toBe(quoted);
});
