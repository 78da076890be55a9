/** Turns that are either text or one call: a JSON object with nothing around it. */

import {
  type ExactJson,
  isExactObject,
  parseExactJson,
  TooDeepError,
} from "../../util/exactJson.ts";
import type { TurnParser } from "../format.ts";
import type { TokenContext } from "../pieces.ts";
import type { ParsedTurn, ToolDeclaration } from "../renderer.ts";
import { type ToolCallReading, toolCallError } from "./toolCalls.ts";

const EXPECTED =
  'Answer with one JSON object that has the keys "name" and "parameters", and nothing else, to call a tool.';

interface BareJsonOptions extends TokenContext {
  /** Texts of the tokens that end a turn. */
  readonly ends: readonly string[];
}

/**
 * An answer may be JSON too. An object counts as a call if tools were declared, it has a name, and its `parameters` (or `arguments`)
 * are an object; it counts as a broken call if its name is that of a declared tool and they are something else.
 */
export function createBareJsonParser({ tokenizer, controls, ends }: BareJsonOptions): TurnParser {
  const endIds = ends.map((text) => controls.idOf(text));
  return (turn, tools) => {
    const endAt = turn.findIndex((id) => endIds.includes(id));
    const text = tokenizer.decode(endAt < 0 ? turn : turn.slice(0, endAt)).trim();
    const reading = text.startsWith("{") ? readCall(text, tools) : null;
    return turnOf(text, reading, turn.length > 0 && endIds.includes(turn.at(-1) ?? null));
  };
}

function turnOf(text: string, reading: ToolCallReading | null, ended: boolean): ParsedTurn {
  const content = reading === null ? text : "";
  return {
    ...{ reasoning: null, thinkingTokens: 0, unclosedThink: false },
    ...{ content, lead: content.length, ended },
    calls: reading?.kind === "call" ? [reading.call] : [],
    errors: reading?.kind === "error" ? [reading.error] : [],
  };
}

/** Null for text that is no call. */
function readCall(text: string, tools: readonly ToolDeclaration[]): ToolCallReading | null {
  if (tools.length === 0) return null;
  let value: ExactJson;
  try {
    value = parseExactJson(text);
  } catch (error) {
    return error instanceof TooDeepError
      ? { kind: "error", error: toolCallError("too_deep", text, EXPECTED) }
      : null;
  }
  const { name, parameters, arguments: others } = isExactObject(value) ? value : {};
  const args = parameters ?? others;
  if (typeof name !== "string" || args === undefined) return null;
  if (isExactObject(args)) return { kind: "call", call: { name, args, raw: text } };
  return tools.some((tool) => tool.function.name === name)
    ? { kind: "error", error: toolCallError("bad_arguments", text, EXPECTED) }
    : null;
}
