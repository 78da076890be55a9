/** Parses one sampled turn into reasoning, visible text and calls, by token ids first and by text second. */

import { escapePattern } from "../../util/escapePattern.ts";
import type { ControlTokens } from "../controlTokens.ts";
import type { TurnParser } from "../format.ts";
import type { ParsedTurn, ToolCall, ToolCallError, ToolDeclaration } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { type CallSyntax, type MarkerPair, toolCallError } from "./toolCalls.ts";

type Marker =
  | "thinkOpen"
  | "thinkClose"
  | "sectionOpen"
  | "sectionClose"
  | "callOpen"
  | "callClose";
/** A stretch of the turn; a marker keeps its text for the places where it is only text. */
interface Piece {
  readonly marker: Marker | null;
  readonly text: string;
  readonly tokens: number;
}

interface TurnParserOptions {
  readonly tokenizer: Tokenizer;
  readonly controls: ControlTokens;
  /** Markers around reasoning; null when the models do not think. */
  readonly thinking: MarkerPair | null;
  /** Null when the format has no calls. */
  readonly calls: CallSyntax | null;
  /** Texts of the tokens that end a turn. */
  readonly ends: readonly string[];
  /** True when the prompt already opened the reasoning. */
  readonly startsThinking: boolean;
}

/**
 * Builds the parser of a family. Everything up to the closing marker is reasoning and calls in it never count; complete
 * calls outside count in order, also before a length cut; a call without its closing marker is an error. So is one in reasoning where
 * nothing follows that.
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
    // A marker that is text may share its tokens with what stands beside it; then the text is counted, not the sample.
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

/** Cuts the text at the literals: leftmost first, at one place the first of them. */
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

/** A call that is not closed yet; `inner` = where in the payload another one opens. */
interface OpenCall {
  readonly opening: string;
  readonly payload: string;
  readonly inner: number | null;
}

/** The state of the parser; `call` holds the call that is open, without its closing marker. */
interface Reading {
  readonly options: ReadOptions;
  thinking: boolean;
  thinkingTokens: number;
  /** Calls and errors before the section that is open. */
  section: number | null;
  isOver: boolean;
  call: OpenCall | null;
  /** Text of a call that is open within reasoning. */
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

/** Words about calls are none: only what would have run elsewhere counts. */
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

/** An opening marker inside a call is text of it; where that cannot be read, the call before was never closed and a new one began. */
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

/** A call that was closed; one that stands outside of the section for calls is not read. */
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

/** Outside reasoning and calls, where a closing marker of a call closes nothing and is text. */
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

/** A section without any call is a call that cannot be read, but for strict sections; so is the end of one that never began. */
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
