const longest = 256 * 1024;

/** Shows text to a model as data: between two lines that the text itself does not contain. */
export function dataBlock(name: string, text: string): string {
  let mark = name;
  for (let count = 2; text.includes(`${mark}>`); count++) mark = `${name}-${count}`;
  return `<${mark}>\n${shortened(text)}\n</${mark}>`;
}

function shortened(text: string): string {
  if (text.length <= longest) return text;
  const half = longest / 2;
  return `${text.slice(0, half)}\n[… ${text.length - longest} characters left out …]\n${text.slice(-half)}`;
}
