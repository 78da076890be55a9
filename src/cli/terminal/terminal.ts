/** Writes lines to an output stream, with at most one live line below them, and tolerates a reader that disconnects. */

import * as l10n from "@vscode/l10n";
import { AppError, errorMessage } from "../../core/errors.ts";
import { clipLine, type Line, type LinePiece, renderLine } from "./line.ts";

export interface Terminal {
  /** Code points per row; 80 if unknown, Infinity if the output is not a terminal. */
  readonly columns: number;
  /** True if a person is watching, so that a live line can be redrawn. */
  readonly isInteractive: boolean;
  /** True once nothing more can be written. */
  readonly isClosed: boolean;
  /** Why writing failed, such as a full disk; null while it works, and if the reader closed the stream. */
  readonly fault: Error | null;
  /** Writes permanent lines. */
  print(lines: readonly Line[]): void;
  /** Replaces the live line below everything printed; null removes it. Does nothing unless interactive. */
  showLive(line: Line | null): void;
  /** Resolves when all printed text has been flushed, or the reader has closed the stream. */
  drained(): Promise<void>;
}

/** The part of Node's writable streams that is used here. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string, done?: () => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

const DEFAULT_COLUMNS = 80;
const LINES_AT_ONCE = 200;
const ERASE_LINE = "\r\u001b[2K";

/** `env` controls color: off with a non-empty NO_COLOR or on a dumb terminal, on with FORCE_COLOR=1. */
export function createTerminal(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const isInteractive = stream.isTTY === true && env["TERM"] !== "dumb";
  const wantsColor = isInteractive || env["FORCE_COLOR"] === "1";
  const hasColor = wantsColor && (env["NO_COLOR"] ?? "") === "";
  let isClosed = false;
  let fault: Error | null = null;
  let live: string | null = null;
  // Without a listener, a closed pipe would crash the program in the middle of its work.
  stream.on("error", (error) => {
    if (!isClosed && !isClosedByReader(error)) fault = error;
    isClosed = true;
  });
  const write = (text: string): void => {
    if (!isClosed && text !== "") stream.write(text);
  };
  const columns = (): number =>
    stream.isTTY === true ? stream.columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY;
  const erased = (): string => (live === null ? "" : ERASE_LINE);
  return {
    get columns() {
      return columns();
    },
    isInteractive,
    get isClosed() {
      return isClosed;
    },
    get fault() {
      return fault;
    },
    print: (lines) => {
      const text = lines.map((line) => `${renderLine(line, hasColor)}\n`).join("");
      write(`${erased()}${text}${live ?? ""}`);
    },
    showLive: (line) => {
      if (!isInteractive) return;
      // Leave the last column free, because some terminals wrap as soon as it is filled.
      const next = line === null ? null : renderLine(clipLine(line, columns() - 1), hasColor);
      if (next !== live) write(`${erased()}${next ?? ""}`);
      live = next;
    },
    drained: () =>
      new Promise((resolve) => {
        if (isClosed) resolve();
        else stream.write("", () => resolve());
      }),
  };
}

/** A pipe whose reader is gone (EPIPE; EOF on Windows), or a closed terminal (EIO). */
function isClosedByReader(error: NodeJS.ErrnoException): boolean {
  return ["EPIPE", "EOF", "EIO"].includes(error.code ?? "");
}

/** The final error if not all output could be written. */
export function outputLost(fault: Error): AppError {
  return new AppError(
    "output-lost",
    l10n.t("The output is incomplete: {0}. Write it to another location.", errorMessage(fault)),
  );
}

/** Prints lines as they arrive, at the reader's pace; stops early if no one is reading. */
export async function printAll(terminal: Terminal, lines: AsyncIterable<Line>): Promise<void> {
  const pending: Line[] = [];
  for await (const line of lines) {
    if (terminal.isClosed) return;
    pending.push(line);
    if (pending.length === LINES_AT_ONCE) {
      terminal.print(pending.splice(0));
      await terminal.drained();
    }
  }
  terminal.print(pending);
}

/** The same terminal for one of several writers: prefixes each line, and has no live line. */
export function prefixed(terminal: Terminal, prefix: LinePiece): Terminal {
  return {
    columns: terminal.columns,
    isInteractive: false,
    get isClosed() {
      return terminal.isClosed;
    },
    get fault() {
      return terminal.fault;
    },
    print: (lines) =>
      terminal.print(
        lines.filter((line) => line.length > 0).map((line): Line => [prefix, ...line]),
      ),
    showLive: () => undefined,
    drained: () => terminal.drained(),
  };
}
