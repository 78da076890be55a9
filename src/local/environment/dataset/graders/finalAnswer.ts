/** Finds the answer in a model's output: the last line, since the text may start with an explanation. */

const LABEL = /^(?:the )?(?:final )?answer(?: is ?[:=]?| ?[:=])/i;
/** Longer than any label. */
const LABEL_SPAN = 40;
/** Bold text of bounded length, so that the search is linear; `2**3**2` has none. */
const BOLD = /(?<![\p{L}\p{N}])\*\*(?=\S)([^\n]{1,1000}?)(?<=\S)\*\*(?![\p{L}\p{N}])/gu;
/** Lines that only end what came before them: a formula, a code block, a section. */
const CLOSING = /^(?:\\\]|\\\)|\$\$|`{3,}|-{3,})$/;

/** The last line that says something, without surrounding spaces, bold type, and a label such as `Answer:`. */
export function finalAnswer(text: string): string {
  const line = lastLine(text, (each) => !CLOSING.test(each)).replace(BOLD, "$1");
  const label = LABEL.exec(line.slice(0, LABEL_SPAN))?.[0] ?? "";
  return line.slice(label.length).trim();
}

/** The last line that is not blank and passes `isWanted`, without surrounding spaces; empty if there is none. */
export function lastLine(text: string, isWanted = (_line: string): boolean => true): string {
  let rest = text.trim();
  for (;;) {
    const start = Math.max(rest.lastIndexOf("\n"), rest.lastIndexOf("\r")) + 1;
    const line = rest.slice(start).trim();
    if (start === 0 || isWanted(line)) return isWanted(line) ? line : "";
    rest = rest.slice(0, start).trimEnd();
  }
}

const BOX = "\\boxed{";

/** The contents of the last `\boxed{…}` of LaTeX; null if there is none. */
export function boxContent(text: string): string | null {
  const start = text.lastIndexOf(BOX);
  if (start < 0) return null;
  const from = start + BOX.length;
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(from, at);
  }
  return null;
}
