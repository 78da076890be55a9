/** Checks before training that a chat format and the tokenizer fit together. */

import { AppError, errorMessage, isAppError } from "../../errors.ts";
import { sortKeys, writeExactJson } from "../../util/exactJson.ts";
import { OTHER_TOKENIZER } from "../pieces.ts";
import type { FollowUp, InitialMessage, Renderer, ToolDeclaration } from "../renderer.ts";
import type { ModelTokenizer, Tokenizer } from "../tokenizer.ts";
import { callingTurn, exampleCallId, writtenCall } from "../writtenTurn.ts";

interface Context {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  /** Texts of the tokens that start a conversation. */
  readonly beginnings: readonly string[];
  readonly isAdded: (id: number) => boolean;
}

/** Returns a description of the problem, including what was tried, or null. */
type Check = (context: Context) => string | null;

const ROUND_TRIPS = [
  "Hello, world!",
  "  two\n\n lines\t\n",
  'é 漢字 🙂 {"a": [1, null]}',
  "0123456789",
];
const CALL = { name: "probe", args: { text: 'a "quoted" word', count: 3 } };
const CALLING = callingTurn(CALL, null);
const ANSWER: typeof CALLING = { role: "assistant", content: "Hi", reasoning: null, calls: [] };
const TASK: InitialMessage = { role: "user", content: "Call the tool." };
const BEGINNINGS = [
  ...["<|begin_of_text|>", "<｜begin▁of▁sentence｜>", "<|startoftext|>"],
  ...["<s>", "<bos>", "[BOS]", "[gMASK]"],
];

/** Advice after any failed check; the same for all because the cause is the same. */
const ADVICE = `The run does not start, because training would go wrong without any error. ${OTHER_TOKENIZER}`;

/**
 * The format's markers must be tokens of this tokenizer, a call it writes must parse back, a bridge must match a fresh rendering,
 * and external text must not become a control token.
 * @throws AppError `chat-self-check` for the first check that fails
 */
export function checkRenderer(
  renderer: Renderer,
  { tokenizer, template }: Pick<ModelTokenizer, "tokenizer" | "template">,
): void {
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const isAdded = (id: number): boolean => added.has(id);
  const beginnings = [...BEGINNINGS, template?.bosToken ?? ""];
  const context = { renderer, tokenizer, beginnings, isAdded };
  const checks = renderer.callsTools === false ? CHECKS : CHECKS_WITH_CALLS;
  for (const [name, check] of Object.entries(checks)) {
    const problem = run(check, context);
    if (problem === null) continue;
    throw new AppError(
      "chat-self-check",
      `The chat format ${renderer.id} failed its check: ${problem}. ${ADVICE}`,
      { data: { check: name, renderer: renderer.id }, configPath: "tokenizer_name" },
    );
  }
}

function run(check: Check, context: Context): string | null {
  try {
    return check(context);
  } catch (error) {
    return errorMessage(error).replace(OTHER_TOKENIZER, "").trimEnd().replace(/\.$/, "");
  }
}

const CHECKS: Readonly<Record<string, Check>> = {
  stops: ({ renderer: { stopIds, stopTexts }, isAdded, tokenizer }) => {
    if (stopIds.length + stopTexts.length === 0)
      return "the tokenizer has no token that ends a turn";
    const other = stopIds.find((id) => !isAdded(id));
    return other === undefined
      ? null
      : `the stop ${JSON.stringify(tokenizer.decode([other]))} is not a single control token of the tokenizer`;
  },

  roundTrip: ({ tokenizer }) => {
    const lost = ROUND_TRIPS.find((text) => tokenizer.decode(tokenizer.encodeText(text)) !== text);
    return lost === undefined
      ? null
      : `the tokenizer encodes ${JSON.stringify(lost)} and decodes something else`;
  },

  oneBeginning: ({ renderer, tokenizer, beginnings }) => {
    const begins = tokenizer.addedTokens.filter(({ text }) => beginnings.includes(text));
    const prompt = renderer.renderInitial([TASK], []);
    const twice = begins.find(({ id }) => prompt.indexOf(id) !== prompt.lastIndexOf(id));
    return twice === undefined ? null : `the first prompt has ${twice.text} twice`;
  },

  userBridge: (context) =>
    bridgeProblem(context, "a message of the user", ANSWER, [
      { role: "user", content: "Use the tool." },
    ]),

  forgery: ({ renderer, tokenizer, isAdded }) => {
    const forged = tokenizer.addedTokens.map(({ text }) => text).join("");
    const count = (text: string): number => {
      const ids = [
        ...renderer.renderInitial(...promptWith(text, renderer)),
        ...(bridgeOf(renderer, [], [{ role: "user", content: text }]) ?? []),
        ...(bridgeOf(renderer, [], [result(text)]) ?? []),
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
    const own = renderer.writeTurn(CALLING);
    // Some templates omit the calls of given turns.
    const turn = tokenizer.decode(own).includes(CALL.name)
      ? own
      : writtenCall({
          chat: { renderer, tokenizer },
          declared: TOOLS,
          call: CALL,
          reasoning: null,
        }).turn;
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

  resultBridge: (context) =>
    bridgeProblem(context, "a result", CALLING, [result('4 is "four"\n  and more')]),

  resultsBridge: (context) =>
    bridgeProblem(context, "a second result", CALLING, [result("first\n"), result(" second")]),
};

const TOOLS: readonly ToolDeclaration[] = [declared("Probes.")];

function declared(description: string): ToolDeclaration {
  const properties = { text: { type: "string", description }, count: { type: "integer" } };
  const parameters = { type: "object", properties, required: ["text", "count"] };
  return { type: "function", function: { name: CALL.name, description, parameters } };
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

/** The conversation rendered as a whole must end with the bridge, after the end of the turn if that calls a tool. */
function bridgeProblem(
  { renderer, tokenizer: { decode } }: Context,
  what: string,
  message: typeof CALLING,
  followUps: readonly FollowUp[],
): string | null {
  const hasCall = message.calls.length > 0;
  // Some formats end a turn without a call differently if a message follows.
  const turn = hasCall ? renderer.writeTurn(message) : [];
  const delta = bridgeOf(renderer, turn, followUps);
  if (delta === null) return null;
  const whole = renderer.renderInitial([TASK, message, ...followUps], hasCall ? TOOLS : []);
  const tail = [...turn.slice(-1), ...delta];
  if (whole.slice(-tail.length).join() === tail.join()) return null;
  const shown = whole.slice(-delta.length);
  return `${what} after a turn differs from what a fresh prompt shows (tried: ${JSON.stringify(decode(delta))}, and the prompt has ${JSON.stringify(decode(shown))})`;
}

/** The ids after a turn, including its closing if it was cut off; null if the format cannot append. */
function bridgeOf(
  renderer: Renderer,
  turn: readonly number[],
  followUps: readonly FollowUp[],
): readonly number[] | null {
  try {
    const { closing, delta } = renderer.bridge(turn, followUps);
    return turn.length === 0 ? delta : [...closing, ...delta];
  } catch (error) {
    if (isAppError(error, "chat-bridge")) return null;
    throw error;
  }
}
