/** Finds the answer in what a model wrote: the last line of a text that explains first. */

const LABEL = /^\**(?:the )?(?:final )?answer(?: is ?[:=]?| ?[:=])\**/i;
/** More than a label has. */
const LABEL_SPAN = 40;

/** The last line that is not blank, without spaces around it, `**` and a label such as `Answer:`. */
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
