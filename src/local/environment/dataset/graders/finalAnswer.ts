/** Finds the answer in a model's output: the last line, since the text may start with an explanation. */

const LABEL = /^\**(?:the )?(?:final )?answer(?: is ?[:=]?| ?[:=])\**/i;
/** Longer than any label. */
const LABEL_SPAN = 40;

/** The last non-blank line without surrounding spaces, `**`, and a label such as `Answer:`. */
export function finalAnswer(text: string): string {
  const trimmed = text.trim();
  const line = trimmed
    .slice(Math.max(trimmed.lastIndexOf("\n"), trimmed.lastIndexOf("\r")) + 1)
    .trim();
  return withoutEmphasis(withoutLabel(withoutEmphasis(line)));
}

function withoutLabel(line: string): string {
  const label = LABEL.exec(line.slice(0, LABEL_SPAN))?.[0] ?? "";
  return line.slice(label.length).trim();
}

function withoutEmphasis(line: string): string {
  const isBold = line.length > 4 && line.startsWith("**") && line.endsWith("**");
  return isBold ? line.slice(2, -2).trim() : line;
}
