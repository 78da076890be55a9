/** Turns that are either text or a single call: a JSON object with nothing around it. */

import {
  type ExactJson,
  isExactObject,
  parseExactJson,
  TooDeepError,
} from "../../util/exactJson.ts";
import type { TurnParser } from "../format.ts";
import type { TokenContext } from "../pieces.ts";
import type { ParsedTurn, ToolCallError, ToolDeclaration } from "../renderer.ts";
import { failedCall, isToolName, type ToolCallReading } from "./callFormats.ts";

/** Some models write it before a call. */
const TAG = "<|python_tag|>";

const EXPECTED =
  'Answer with one JSON object that has the keys "name" and "parameters", and nothing else, to call a tool.';

interface BareJsonOptions extends TokenContext {
  /** Texts of the tokens that end a turn. */
  readonly ends: readonly string[];
}

/**
 * A plain answer may be JSON too. If tools are declared, an object with a name counts as a call when its `parameters`
 * (or `arguments`) are an object, and as a broken call when they are something else and the name is that of a declared
 * tool. After the call tag, any other object, even if it is not valid JSON, is a broken call.
 */
export function createBareJsonParser({ tokenizer, controls, ends }: BareJsonOptions): TurnParser {
  const endIds = ends.map((text) => controls.idOf(text));
  return (turn, tools) => {
    const endAt = turn.findIndex((id) => endIds.includes(id));
    const text = tokenizer.decode(endAt < 0 ? turn : turn.slice(0, endAt)).trim();
    const reading = tools.length === 0 ? null : readCall(text, tools);
    return turnOf(text, reading, turn.length > 0 && endIds.includes(turn.at(-1) ?? null));
  };
}

function turnOf(text: string, reading: ToolCallReading | null, ended: boolean): ParsedTurn {
  const content = reading === null ? text : "";
  return {
    reasoning: null,
    thinkingTokens: 0,
    unclosedThink: false,
    content,
    lead: content.length,
    ended,
    calls: reading?.kind === "call" ? [reading.call] : [],
    errors: reading?.kind === "error" ? [reading.error] : [],
  };
}

/** Null if the text is not a call. */
function readCall(raw: string, tools: readonly ToolDeclaration[]): ToolCallReading | null {
  const isTagged = raw.startsWith(TAG);
  const text = isTagged ? raw.slice(TAG.length).trimStart() : raw;
  if (!text.startsWith("{")) return null;
  const failure = (kind: ToolCallError["kind"]) => failedCall(kind, raw, EXPECTED);
  const value = parsed(text);
  if (value instanceof TooDeepError) return failure("too_deep");
  if (value === undefined) return isTagged ? failure("not_json") : null;
  const { name, parameters, arguments: others } = isExactObject(value) ? value : {};
  const args = parameters ?? others;
  if (!isToolName(name)) return isTagged ? failure("missing_name") : null;
  if (isExactObject(args)) return { kind: "call", call: { name, args, raw } };
  const isDeclared = tools.some((tool) => tool.function.name === name);
  return isTagged || (isDeclared && args !== undefined) ? failure("bad_arguments") : null;
}

/** Undefined if the text is not JSON. */
function parsed(text: string): ExactJson | TooDeepError | undefined {
  try {
    return parseExactJson(text);
  } catch (error) {
    return error instanceof TooDeepError ? error : undefined;
  }
}
