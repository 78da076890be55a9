/** Hides lines of a text so that the others keep their places. */

/** The text with spaces for the lines at `offsets` and what is indented under them; everything else stays where it is. */
export function withoutLines(text: string, offsets: readonly number[]): string {
  let at = 0;
  let hidden: number | null = null;
  const lines = text.split("\n").map((line) => {
    const end = at + line.length;
    const indent = line.search(/\S/);
    if (offsets.some((offset) => offset >= at && offset <= end)) hidden = Math.max(0, indent);
    else if (hidden !== null && indent >= 0 && indent <= hidden) hidden = null;
    at = end + 1;
    return hidden === null ? line : " ".repeat(line.length);
  });
  return lines.join("\n");
}
