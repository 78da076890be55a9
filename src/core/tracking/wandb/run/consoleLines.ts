/** Converts a run's log into lines as W&B stores them: `docs/protocols/wandb.md#console-lines`. */

export type ConsoleStream = "stdout" | "stderr";

const MAX_LINE = 4_096;
const ESCAPE = String.fromCodePoint(0x1b);
const BELL = String.fromCodePoint(0x07);
const ESCAPES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)|[@-Z\\\\-_])`,
  "g",
);

/** Collects a stream's output into whole lines; an incomplete line waits for more. */
export class ConsoleLines {
  #rest = "";

  /** The lines that `text` completes, without escape sequences. */
  add(text: string): readonly string[] {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(shownLine);
  }

  /** The pending incomplete line, if any. */
  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = "";
    return rest === "" ? [] : [shownLine(rest)];
  }
}

/** A line as it is sent: with its time, and a marker for stderr. */
export function consoleLine(stream: ConsoleStream, text: string, timeMs: number): string {
  const stamp = `${new Date(timeMs).toISOString().slice(0, -1)}000`;
  return `${stream === "stderr" ? "ERROR " : ""}${stamp} ${text}`;
}

/** A carriage return moves to the start of the line, and following text overwrites it. */
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
