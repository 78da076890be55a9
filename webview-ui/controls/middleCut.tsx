/** A text of one line that is cut in its middle where it has no room: names of runs differ at their ends. */

/** So much of the end is always shown. */
const TAIL = 10;
/** A shorter text is cut at its end, if at all. */
const LEAST = 2 * TAIL;

interface MiddleCutProps {
  readonly text: string;
}

export function MiddleCut({ text }: MiddleCutProps) {
  const letters = [...text];
  const split = letters.length < LEAST ? letters.length : letters.length - TAIL;
  return (
    <span class="middle-cut" title={text}>
      <span>{letters.slice(0, split).join("")}</span>
      <span>{letters.slice(split).join("")}</span>
    </span>
  );
}
