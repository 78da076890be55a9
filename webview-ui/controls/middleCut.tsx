/** A single line that is truncated in the middle, because names of runs differ at their ends. */

/** Characters at the end that are always shown. */
const TAIL = 10;
/** Shorter texts are truncated at the end. */
const MIN_MIDDLE_CUT = 2 * TAIL;

interface MiddleCutProps {
  readonly text: string;
}

export function MiddleCut({ text }: MiddleCutProps) {
  const letters = [...text];
  const split = letters.length < MIN_MIDDLE_CUT ? letters.length : letters.length - TAIL;
  return (
    <span class="middle-cut" title={text}>
      <span>{letters.slice(0, split).join("")}</span>
      <span>{letters.slice(split).join("")}</span>
    </span>
  );
}
