/** Parses one sampled turn into reasoning, visible text and calls. Markers match by token id if they are added tokens, else by text. */

import { escapePattern } from "../../util/escapePattern.ts";
import type { ControlTokens } from "../controlTokens.ts";
import type { TurnParser } from "../format.ts";
import type { ParsedTurn, ToolCall, ToolCallError, ToolDeclaration } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { type CallSyntax, type MarkerPair, toolCallError } from "./callFormats.ts";

type Marker =
  | "thinkOpen"
  | "thinkClose"
  | "sectionOpen"
  | "sectionClose"
  | "callOpen"
  | "callClose";
/** A run of the turn. Markers keep their text, since in some positions they are plain text. */
interface Piece {
  readonly marker: Marker | null;
  readonly text: string;
  readonly tokens: number;
}

interface TurnParserOptions {
  readonly tokenizer: Tokenizer;
  readonly controls: ControlTokens;
  /** Markers around reasoning; null if the model does not think. */
  readonly thinking: MarkerPair | null;
  /** Null if the format has no calls. */
  readonly calls: CallSyntax | null;
  /** Texts of the tokens that end a turn. */
  readonly ends: readonly string[];
  /** True if the prompt already opened the reasoning. */
  readonly startsThinking: boolean;
}

/**
 * Builds the parser for a format. Everything up to the closing marker is reasoning, and calls in it do not run. Complete calls
 * outside it count in order, even if the turn was cut at the length limit. A call without its closing marker is an error; so is a
 * call in the reasoning if nothing follows it.
 */
export function createTurnParser(options: TurnParserOptions): TurnParser {
  const { controls, ends, startsThinking, calls } = options;
  const endIds = ends.map((text) => controls.idOf(text));
  const cut = createCutter(options);
  return (turn, tools) => {
    const endAt = turn.findIndex((id) => endIds.includes(id));
    const pieces = cut(endAt < 0 ? turn : turn.slice(0, endAt));
    const read = readPieces(pieces, { startsThinking, calls, tools });
    return { ...read, ended: turn.length > 0 && endIds.includes(turn.at(-1) ?? null) };
  };
}

function createCutter({ tokenizer, controls, thinking, calls }: TurnParserOptions) {
  const markers: (readonly [Marker, string])[] = [];
  if (calls !== null) {
    markers.push(["callOpen", calls.open], ["callClose", calls.close]);
    const { section } = calls;
    if (section !== undefined) {
      markers.push(["sectionOpen", section.open], ["sectionClose", section.close]);
    }
  }
  if (thinking !== null) {
    markers.push(["thinkOpen", thinking.open], ["thinkClose", thinking.close]);
  }
  const byId = new Map<number, Marker>();
  const byText = new Map<string, Marker>();
  for (const [marker, text] of markers) {
    const id = controls.idOf(text);
    if (id === null) byText.set(text, marker);
    else byId.set(id, marker);
  }
  const splitText = createSplitter(byText);
  const cutText = (ids: readonly number[]): readonly Piece[] => {
    const texts = splitText(tokenizer.decode(ids));
    // A text marker may share tokens with its neighbors; in that case re-encode the text to count tokens.
    const count = (text: string): number =>
      texts.length === 1 ? ids.length : tokenizer.encodeText(text).length;
    return texts.map((piece) => ({ ...piece, tokens: count(piece.text) }));
  };

  return (ids: readonly number[]): readonly Piece[] => {
    const pieces: Piece[] = [];
    let from = 0;
    ids.forEach((id, at) => {
      const marker = byId.get(id);
      if (marker === undefined) return;
      for (const piece of cutText(ids.slice(from, at))) pieces.push(piece);
      pieces.push({ marker, text: tokenizer.decode([id]), tokens: 1 });
      from = at + 1;
    });
    for (const piece of cutText(ids.slice(from))) pieces.push(piece);
    return pieces;
  };
}

/** Splits text at the literals: leftmost match first; at the same position, the first literal wins. */
function createSplitter(
  byText: ReadonlyMap<string, Marker>,
): (text: string) => readonly Omit<Piece, "tokens">[] {
  if (byText.size === 0) return (text) => (text === "" ? [] : [{ marker: null, text }]);
  const pattern = new RegExp(`(${[...byText.keys()].map(escapePattern).join("|")})`);
  return (text) =>
    text
      .split(pattern)
      .map((part, i) => ({ marker: i % 2 === 0 ? null : (byText.get(part) ?? null), text: part }))
      .filter((piece) => piece.text !== "");
}

interface ReadOptions extends Pick<TurnParserOptions, "startsThinking" | "calls"> {
  readonly tools: readonly ToolDeclaration[];
}

/** A call not yet closed; `inner` = offset in the payload where another call opens. */
interface OpenCall {
  readonly opening: string;
  readonly payload: string;
  readonly inner: number | null;
}

/** The parser's state; `call` is the open call, without its closing marker. */
interface Reading {
  readonly options: ReadOptions;
  thinking: boolean;
  thinkingTokens: number;
  /** Number of calls and errors before the open section; null outside a section. */
  section: number | null;
  isOver: boolean;
  call: OpenCall | null;
  /** Text of a call opened within reasoning. */
  thoughtPayload: string | null;
  /** The last complete call within reasoning. */
  thoughtCall: string | null;
  readonly reasoning: string[];
  readonly content: string[];
  /** Pieces of `content` before the first call; null until there is one. */
  lead: number | null;
  readonly calls: ToolCall[];
  readonly errors: ToolCallError[];
}

function readPieces(pieces: readonly Piece[], options: ReadOptions): Omit<ParsedTurn, "ended"> {
  const reading: Reading = {
    options,
    thinking: options.startsThinking,
    thinkingTokens: 0,
    section: null,
    isOver: false,
    call: null,
    thoughtPayload: null,
    thoughtCall: null,
    reasoning: [],
    content: [],
    lead: null,
    calls: [],
    errors: [],
  };
  for (const piece of pieces) {
    if (reading.isOver) break;
    if (reading.thinking) readThought(reading, piece);
    else if (reading.call !== null) readCall(reading, reading.call, piece);
    else readVisible(reading, piece);
  }
  dropOpenCall(reading);
  const thought = reading.reasoning.join("").trim();
  const content = reading.content.join("").trim();
  const lead = reading.content.slice(0, reading.lead ?? reading.content.length).join("");
  const thoughtCall = reading.calls.length + reading.errors.length > 0 ? null : reading.thoughtCall;
  if (thoughtCall !== null && content === "" && !reading.thinking) {
    addFailure(reading, "in_reasoning", thoughtCall);
  }
  return {
    reasoning: thought === "" ? null : thought,
    thinkingTokens: reading.thinkingTokens,
    content,
    lead: lead.trim().length,
    calls: reading.calls,
    errors: reading.errors,
    unclosedThink: reading.thinking,
    thoughtCall: thoughtCall ?? undefined,
  };
}

function readThought(reading: Reading, { marker, text, tokens }: Piece): void {
  if (marker === "thinkClose") {
    reading.thinking = false;
    return;
  }
  reading.reasoning.push(text);
  reading.thinkingTokens += tokens;
  if (marker === "callOpen") reading.thoughtPayload = "";
  else if (marker === "callClose") closeThoughtCall(reading, text);
  else if (reading.thoughtPayload !== null) reading.thoughtPayload += text;
}

/** Merely mentioning a call does not count; it must be readable as a call. */
function closeThoughtCall(reading: Reading, close: string): void {
  const { calls, tools } = reading.options;
  const payload = reading.thoughtPayload;
  if (calls === null || payload === null) return;
  const raw = calls.open + payload + close;
  if (calls.read(payload, raw, tools).kind === "call") reading.thoughtCall = raw;
  reading.thoughtPayload = null;
}

function readCall(
  reading: Reading,
  { opening, payload, inner }: OpenCall,
  { marker, text }: Piece,
): void {
  if (marker === "callOpen") {
    reading.call = { opening, payload: payload + text, inner: payload.length };
  } else if (marker === "callClose") {
    closeCall(reading, { opening, payload, inner }, text);
    reading.call = null;
  } else if (marker === "sectionOpen" || marker === "sectionClose") {
    dropOpenCall(reading);
    readVisible(reading, { marker, text, tokens: 1 });
  } else {
    reading.call = { opening, payload: payload + text, inner };
  }
}

/** An opening marker inside a call is text. If that text cannot be read, the outer call was never closed and a new one began. */
function closeCall(reading: Reading, { opening, payload, inner }: OpenCall, close: string): void {
  const { calls, tools } = reading.options;
  const raw = opening + payload + close;
  if (inner === null || calls?.read(payload, raw, tools).kind === "call") {
    addReading(reading, payload, raw);
    return;
  }
  addFailure(reading, "unterminated", raw.slice(0, opening.length + inner));
  addReading(reading, payload.slice(inner + opening.length), raw.slice(opening.length + inner));
}

/** Reads a closed call. A call outside the required section is an error. */
function addReading(reading: Reading, payload: string, raw: string): void {
  const { calls, tools } = reading.options;
  if (calls === null) return;
  if (calls.section !== undefined && reading.section === null) {
    addFailure(reading, "not_readable", raw);
    return;
  }
  const result = calls.read(payload, raw, tools);
  if (result.kind === "call") reading.calls.push(result.call);
  else addError(reading, result.error);
}

function addFailure(reading: Reading, kind: ToolCallError["kind"], raw: string): void {
  addError(reading, toolCallError(kind, raw, reading.options.calls?.expected ?? ""));
}

function addError({ calls, errors }: Reading, error: ToolCallError): void {
  errors.push({ ...error, callsBefore: calls.length });
}

/** Handles a piece outside reasoning and calls. A call's closing marker closes nothing here and is plain text. */
function readVisible(reading: Reading, { marker, text }: Piece): void {
  const isStrict = reading.options.calls?.section?.isStrict ?? false;
  if (marker === "thinkOpen") reading.thinking = true;
  else if (marker === "sectionOpen") {
    reading.lead ??= reading.content.length;
    reading.section = reading.calls.length + reading.errors.length;
  } else if (
    marker === null ||
    marker === "callClose" ||
    (isStrict && reading.section === null && marker !== "thinkClose")
  ) {
    reading.content.push(text);
  } else if (marker === "sectionClose") closeSection(reading, text);
  else if (marker === "callOpen") {
    reading.lead ??= reading.content.length;
    reading.call = { opening: text, payload: "", inner: null };
  }
}

/** A section without calls counts as an unreadable call, except in strict sections. A closing marker without a section always does. */
function closeSection(reading: Reading, raw: string): void {
  const { calls } = reading.options;
  if (calls?.section === undefined) return;
  const { isStrict, endsTurn } = calls.section;
  if (reading.section === null) {
    reading.content.push(raw);
    addFailure(reading, "not_readable", raw);
    return;
  }
  reading.isOver = endsTurn;
  if (!isStrict && reading.section === reading.calls.length + reading.errors.length) {
    addFailure(reading, "not_readable", raw);
  }
  reading.section = null;
}

function dropOpenCall(reading: Reading): void {
  if (reading.call === null) return;
  const { opening, payload } = reading.call;
  addFailure(reading, "unterminated", opening + payload);
  reading.call = null;
}
