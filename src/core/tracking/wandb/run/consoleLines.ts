/** Text of a run's log, line by line as W&B keeps it: `docs/protocols/wandb.md#console-lines`. */

export type ConsoleStream = "stdout" | "stderr";

const MAX_LINE = 4_096;
const ESCAPE = String.fromCodePoint(0x1b);
const BELL = String.fromCodePoint(0x07);
const ESCAPES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)|[@-Z\\\\-_])`,
  "g",
);

/** Turns what is printed to a stream into whole lines; the rest waits for more. */
export class ConsoleLines {
  #rest = "";

  /** The lines that `text` completes, without escape sequences. */
  add(text: string): readonly string[] {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(shownLine);
  }

  /** The line that was begun and not ended; none when there is no such line. */
  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = "";
    return rest === "" ? [] : [shownLine(rest)];
  }
}

/** A line as it is sent: with its time, and a mark for what went to stderr. */
export function consoleLine(stream: ConsoleStream, text: string, timeMs: number): string {
  const stamp = `${new Date(timeMs).toISOString().slice(0, -1)}000`;
  return `${stream === "stderr" ? "ERROR " : ""}${stamp} ${text}`;
}

/** A carriage return goes back to the beginning of the line, and what follows is written over it. */
function shownLine(line: string): string {
  const plain = line.replace(ESCAPES, "");
  const shown = plain
    .split("\r")
    .reduceRight(
      (after, before) => (after.length < MAX_LINE ? after + before.slice(after.length) : after),
      "",
    );
  return shown.slice(0, MAX_LINE);
}
