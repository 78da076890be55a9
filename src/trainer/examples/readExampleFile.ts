/** Reads a JSONL file of conversations and reports errors by line and column. */

import { createReadStream } from "node:fs";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { ChatExample } from "../../core/examples/example.ts";
import { type ColumnProblem, parseChatExample } from "../../core/examples/parseChatExample.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { formatQuantity } from "../../shared/format.ts";

export interface NumberedExample extends ChatExample {
  /** Line in the file, from 1. */
  readonly line: number;
}

/** A parsed line, or the first problem in it. */
export interface ReadLine {
  /** From 1. */
  readonly line: number;
  readonly read: ChatExample | LineProblem;
}

/** A problem in a line, with its column. */
export interface LineProblem extends ColumnProblem {
  /** From 1. */
  readonly at: number;
}

const MAX_SHOWN = 20;
const FORMAT =
  'A data file is JSONL: each line is one conversation, such as {"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}.';
/** Far longer than any demonstration. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** @throws AppError `examples-invalid` listing every invalid line, `file-unreadable` */
export async function readExampleFile(path: string): Promise<readonly NumberedExample[]> {
  const examples: NumberedExample[] = [];
  const problems: string[] = [];
  for await (const { line, read } of exampleLines(path)) {
    if ("reason" in read) {
      problems.push(`${path}:${line}:${read.at}: error: ${problemText(read)}`);
    } else examples.push({ ...read, line });
  }
  if (problems.length > 0) throw invalid(path, problems, examples.length);
  return examples;
}

/** Yields non-empty lines, but not the line cut off at `maxBytes`. @throws AppError `file-unreadable`, `examples-invalid` for Parquet */
export async function* exampleLines(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<ReadLine> {
  if (path.endsWith(".parquet")) {
    const text = `${path} is Parquet. ${FORMAT} tinker-rl export writes it with --format messages.`;
    throw new AppError("examples-invalid", text, { configPath: "data", data: { path } });
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 0;
  for await (const bytes of linesOf(path, maxBytes)) {
    line += 1;
    const read = readLine(bytes, decoder);
    if (read !== null) yield { line, read };
  }
}

export function problemText({ column, reason }: ColumnProblem): string {
  return column === "" ? reason : `${column}: ${reason}`;
}

/** Null for an empty line. */
function readLine(
  bytes: Uint8Array | null,
  decoder: InstanceType<typeof TextDecoder>,
): ChatExample | LineProblem | null {
  if (bytes === null) return wrong("the line is longer than 16 MB");
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return wrong("the text is not UTF-8; save the file in that encoding");
  }
  if (text.trim() === "") return null;
  const parsed = parseJson(text);
  if (parsed === null) return whyNoJson(text);
  const read = parseChatExample(parsed.value);
  return "reason" in read ? { ...read, at: 1 } : read;
}

function wrong(reason: string, at = 1): LineProblem {
  return { column: "", reason, at };
}

/** Uses the message of the JavaScript engine, which usually includes the position. */
function whyNoJson(text: string): LineProblem {
  try {
    JSON.parse(text);
    return wrong("the JSON is nested too deeply");
  } catch (error) {
    const message = errorMessage(error);
    const position = /(?: in JSON)? at position (\d+)/.exec(message);
    const said = message.slice(0, position?.index ?? message.length);
    return wrong(`this is not JSON: ${said}`, Number(position?.[1] ?? 0) + 1);
  }
}

/** The bytes of each line; null for a line that is too long. */
async function* linesOf(path: string, maxBytes: number): AsyncGenerator<Uint8Array | null> {
  // One extra byte shows whether the file continues.
  const input = createReadStream(path, { end: maxBytes });
  let parts: Uint8Array[] = [];
  let length = 0;
  const taken = (): Uint8Array | null => {
    const line = length > MAX_LINE_BYTES ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let start = 0;
      while (start <= chunk.length) {
        const found = chunk.indexOf(LINE_FEED, start);
        const end = found < 0 ? chunk.length : found;
        length += end - start;
        if (length <= MAX_LINE_BYTES) parts.push(chunk.subarray(start, end));
        else parts = [];
        start = end + 1;
        if (found >= 0) yield taken();
      }
    }
  } catch (cause) {
    throw new AppError(
      "file-unreadable",
      `${path} cannot be read: ${errorMessage(cause)}. Correct the path under data.`,
      { cause, configPath: "data" },
    );
  }
  if (length > 0 && input.bytesRead <= maxBytes) yield taken();
}

function invalid(path: string, problems: readonly string[], good: number): AppError {
  const { length } = problems;
  const more = length - MAX_SHOWN;
  const rest = more > 0 ? [`${path}: and ${more} more`] : [];
  const end =
    good === 0
      ? `No line of the file can be trained on. ${FORMAT}`
      : `${formatQuantity(length, "line")} of ${length + good} cannot be trained on. Correct or remove ${length === 1 ? "it" : "them"}.`;
  const text = [...problems.slice(0, MAX_SHOWN), ...rest, end].join("\n");
  return new AppError("examples-invalid", text, { configPath: "data", data: { path } });
}
