/** Checks before training that a built-in format and the tokenizer fit together. */

import { isAppError } from "../../errors.ts";
import { sortKeys, writeExactJson } from "../../util/exactJson.ts";
import type { FollowUp, InitialMessage, Renderer, ToolDeclaration } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { callingTurn, exampleCallId } from "../writtenTurn.ts";
import { type Check, requireChecks, roundTripProblem } from "./checks.ts";

interface Context {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  readonly isAdded: (id: number) => boolean;
}

const CALL = { name: "probe", args: { text: 'a "quoted" word', count: 3 } };
const CALLING = callingTurn(CALL, null);
const RESULT = '4 is "four"\n  and more';
const TASK: InitialMessage = { role: "user", content: "Call the tool." };
const SURE: FollowUp = { role: "user", content: "Use the tool." };
const BEGINNINGS = [
  ...["<|begin_of_text|>", "<｜begin▁of▁sentence｜>", "<|startoftext|>"],
  ...["<s>", "<bos>", "[BOS]", "[gMASK]"],
];

/**
 * The format's markers must be tokens of this tokenizer, a call it writes must parse back, a bridge must match a fresh rendering,
 * and external text must not become a control token.
 * @throws AppError `chat-self-check`
 */
export function checkNativeRenderer(renderer: Renderer, tokenizer: Tokenizer): void {
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const context = { renderer, tokenizer, isAdded: (id: number) => added.has(id) };
  requireChecks(renderer, renderer.callsTools === false ? CHECKS : CHECKS_WITH_CALLS, context);
}

const CHECKS: Readonly<Record<string, Check<Context>>> = {
  stops: ({ renderer: { stopIds, stopTexts }, isAdded, tokenizer }) => {
    if (stopIds.length + stopTexts.length === 0)
      return "the tokenizer has no token that ends a turn";
    const other = stopIds.find((id) => !isAdded(id));
    return other === undefined
      ? null
      : `the stop ${JSON.stringify(tokenizer.decode([other]))} is not a single control token of the tokenizer`;
  },

  roundTrip: ({ tokenizer }) => roundTripProblem(tokenizer),

  oneBeginning: ({ renderer, tokenizer }) => {
    const begins = tokenizer.addedTokens.filter(({ text }) => BEGINNINGS.includes(text));
    const prompt = renderer.renderInitial([TASK, answer("Hi"), TASK], []);
    const twice = begins.find(({ id }) => prompt.indexOf(id) !== prompt.lastIndexOf(id));
    return twice === undefined ? null : `a prompt with three messages has ${twice.text} twice`;
  },

  userBridge: ({ renderer, tokenizer }) => {
    const whole = renderer.renderInitial([TASK, answer("Hi"), SURE], []);
    const delta = bridgeOf(renderer, [], SURE);
    if (delta === null || endsWith(whole, delta)) return null;
    return differs("a message of the user", tokenizer, whole.slice(-delta.length), delta);
  },

  forgery: ({ renderer, tokenizer, isAdded }) => {
    const forged = tokenizer.addedTokens.map(({ text }) => text).join("");
    const count = (text: string): number => {
      const ids = [
        ...renderer.renderInitial(...promptWith(text, renderer)),
        ...(bridgeOf(renderer, [], { role: "user", content: text }) ?? []),
        ...(bridgeOf(renderer, [], result(text)) ?? []),
      ];
      return ids.filter(isAdded).length;
    };
    return count("x") === count(forged)
      ? null
      : "text from an environment can forge control tokens (tried: all added tokens in a task, a tool and a result)";
  },
};

const CHECKS_WITH_CALLS: typeof CHECKS = {
  ...CHECKS,

  ownCall: ({ renderer, tokenizer }) => {
    const turn = renderer.writeTurn(CALLING);
    const { calls, errors, ended } = renderer.parse(turn, TOOLS);
    const [call] = calls;
    const isRead =
      ended &&
      calls.length === 1 &&
      errors.length === 0 &&
      call?.name === CALL.name &&
      // Some formats sort the arguments.
      writeExactJson(sortKeys(call.args)) === writeExactJson(sortKeys(CALL.args));
    return isRead
      ? null
      : `a tool call that it writes is not read back (tried: ${JSON.stringify(tokenizer.decode(turn))})`;
  },

  resultBridge: ({ renderer, tokenizer }) => {
    const turn = renderer.writeTurn(CALLING);
    const whole = renderer.renderInitial([TASK, CALLING, result(RESULT)], TOOLS);
    const delta = bridgeOf(renderer, turn, result(RESULT));
    if (delta === null || endsWith(whole, [...turn.slice(-1), ...delta])) return null;
    return differs("a result", tokenizer, whole.slice(-delta.length), delta);
  },
};

const TOOLS: readonly ToolDeclaration[] = [declared("Probes.")];

function declared(description: string): ToolDeclaration {
  const properties = { text: { type: "string", description }, count: { type: "integer" } };
  const parameters = { type: "object", properties, required: ["text", "count"] };
  return { type: "function", function: { name: CALL.name, description, parameters } };
}

function answer(content: string): InitialMessage {
  return { role: "assistant", content, reasoning: null, calls: [] };
}

function result(content: string): FollowUp {
  return { role: "tool", name: CALL.name, callId: exampleCallId(CALL.name), content };
}

function promptWith(text: string, { callsTools }: Renderer): Parameters<Renderer["renderInitial"]> {
  return [
    [{ role: "user", content: `Task ${text}` }],
    callsTools === false ? [] : [declared(text)],
  ];
}

/** The ids after a turn, including its closing if it was cut off; null if the format cannot append. */
function bridgeOf(
  renderer: Renderer,
  turn: readonly number[],
  followUp: FollowUp,
): readonly number[] | null {
  try {
    const { closing, delta } = renderer.bridge(turn, [followUp]);
    return turn.length === 0 ? delta : [...closing, ...delta];
  } catch (error) {
    if (isAppError(error, "chat-bridge")) return null;
    throw error;
  }
}

function endsWith(ids: readonly number[], tail: readonly number[]): boolean {
  return ids.slice(ids.length - tail.length).join() === tail.join();
}

function differs(
  what: string,
  { decode }: Tokenizer,
  rendered: readonly number[],
  bridged: readonly number[],
): string {
  return `${what} after a turn differs from what a fresh prompt shows (tried: ${JSON.stringify(decode(bridged))}, and the prompt has ${JSON.stringify(decode(rendered))})`;
}
