/** Reads a JSONL file of conversations, and says what is wrong with it by line and column. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { ChatExample } from "../../core/examples/example.ts";
import { type ColumnProblem, parseChatExample } from "../../core/examples/parseChatExample.ts";
import { formatQuantity } from "../../shared/format.ts";

export interface NumberedExample extends ChatExample {
  /** Line in the file, from 1. */
  readonly line: number;
}

/** What a line says, or the first thing that is wrong with it. */
export interface ReadLine {
  /** From 1. */
  readonly line: number;
  readonly read: ChatExample | ColumnProblem;
}

const MAX_SHOWN = 20;
/** More than a demonstration is ever long. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** @throws AppError `examples-invalid` with every line at fault, `file-unreadable` */
export async function readExampleFile(path: string): Promise<readonly NumberedExample[]> {
  const examples: NumberedExample[] = [];
  const problems: string[] = [];
  for await (const { line, read } of exampleLines(path)) {
    if ("reason" in read) {
      problems.push(`${path}:${line}:1: error: ${problemText(read)}`);
    } else examples.push({ ...read, line });
  }
  if (problems.length > 0) throw invalid(path, problems, problems.length + examples.length);
  return examples;
}

/** One after the other; empty lines are passed over. Of a file with more than `maxBytes` the line that is cut off there is none. @throws AppError `file-unreadable` */
export async function* exampleLines(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<ReadLine> {
  let line = 0;
  for await (const text of linesOf(path, maxBytes)) {
    line += 1;
    if (text.trim() !== "") yield { line, read: readLine(text) };
  }
}

export function problemText({ column, reason }: ColumnProblem): string {
  return column === "" ? reason : `${column}: ${reason}`;
}

function readLine(text: string): ReturnType<typeof parseChatExample> {
  if (text.length > MAX_LINE_LENGTH) return { column: "", reason: "the line is longer than 16 MB" };
  try {
    return parseChatExample(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return { column: "", reason: `no JSON: ${error.message}` };
    throw error;
  }
}

async function* linesOf(path: string, maxBytes: number): AsyncGenerator<string> {
  // One byte more shows that the file goes on.
  const input = createReadStream(path, { encoding: "utf8", end: maxBytes });
  try {
    let before: string | null = null;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (before !== null) yield before;
      before = before === null ? line.replace(/^\uFEFF/, "") : line;
    }
    if (before !== null && input.bytesRead <= maxBytes) yield before;
  } catch (cause) {
    throw new AppError(
      "file-unreadable",
      `${path} cannot be read: ${errorMessage(cause)}. Correct the path under data.`,
      { cause, configPath: "data" },
    );
  }
}

function invalid(path: string, problems: readonly string[], lines: number): AppError {
  const more = problems.length - MAX_SHOWN;
  const end = `${formatQuantity(problems.length, "line")} of ${lines} cannot be trained on. Correct or remove ${problems.length === 1 ? "it" : "them"}.`;
  const rest = more > 0 ? [`${path}: and ${more} more`] : [];
  const text = [...problems.slice(0, MAX_SHOWN), ...rest, end].join("\n");
  return new AppError("examples-invalid", text, {
    configPath: "data",
    data: { path },
  });
}
