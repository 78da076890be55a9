/** Checks before training that a renderer, its tokenizer and its template fit together. */

import { createControlTokens } from "../controlTokens.ts";
import { HERMES_CALLS } from "../parsing/toolCalls.ts";
import type { FollowUp, Renderer } from "../renderer.ts";
import { toMessage } from "../template/bridge.ts";
import { createPromptTemplate, type TemplateMessage } from "../template/promptTemplate.ts";
import { END_TOKEN } from "../template/templateFamily.ts";
import type { TemplateRendererOptions } from "../template/templateRenderer.ts";
import { type Check, requireChecks, roundTripProblem } from "./checks.ts";

interface SelfCheckOptions extends TemplateRendererOptions {
  readonly renderer: Renderer;
}

type Context = SelfCheckOptions & ReturnType<typeof createTools>;

const CALL = { name: "probe", args: { text: 'a "quoted" word' } };
const TASK: TemplateMessage = { role: "user", content: "Call the tool." };
/**
 * Runs all checks on a renderer that was created with the same options.
 * @throws AppError `chat-self-check` for the first one that fails
 */
export function checkRenderer(options: SelfCheckOptions): void {
  requireChecks(options.renderer, CHECKS, { ...options, ...createTools(options) });
}

function createTools({ model, thinking, effort = null }: TemplateRendererOptions) {
  const controls = createControlTokens(model.tokenizer);
  const prompt = createPromptTemplate({ model, thinking, effort });
  const addedIds = new Set(model.tokenizer.addedTokens.map((token) => token.id));
  return {
    controls,
    prompt,
    countAdded: (ids: readonly number[]) => ids.filter((id) => addedIds.has(id)).length,
    isAdded: (id: number) => addedIds.has(id),
  };
}

const CHECKS: Readonly<Record<string, Check<Context>>> = {
  stops: ({ renderer, isAdded }) =>
    renderer.stopIds.length > 0 && renderer.stopIds.every(isAdded)
      ? null
      : "a stop is not a single control token of the tokenizer",

  oneBeginning: ({ renderer, model, controls }) => {
    const beginId = controls.idOf(model.template?.bosToken ?? "");
    const ids = renderer.renderInitial([{ role: "user", content: "Hello" }], []);
    return ids.filter((id) => id === beginId).length > 1
      ? "the first prompt has more than one beginning-of-text token"
      : null;
  },

  roundTrip: ({ model: { tokenizer } }) => roundTripProblem(tokenizer),

  ownCall: (context) => {
    const { controls, family } = context;
    const opening = family.thinking === null ? "" : family.thinking.open + family.thinking.close;
    const payload = JSON.stringify({ name: CALL.name, arguments: CALL.args });
    const text = `${opening}${HERMES_CALLS.open}\n${payload}\n${HERMES_CALLS.close}${END_TOKEN}`;
    return readsCall(context, controls.encode(text)) ? null : "a tool call is not read back";
  },

  templateCall: (context) => {
    const { prompt, controls } = context;
    const rendered = prompt.render({ messages: [TASK, callingTurn("")], opensTurn: false });
    if (!rendered.includes(CALL.name)) return null;
    const turn = rendered.split(END_TOKEN).at(-2) ?? "";
    return readsCall(context, controls.encode(turn + END_TOKEN))
      ? null
      : "a tool call as the template writes it is not read back";
  },

  bridges: (context) => {
    const shapes: readonly (readonly FollowUp[])[] = [
      [result('4 is "four"')],
      [result("first\n"), result(" second")],
      [{ role: "user", content: "Use the tools." }],
    ];
    return shapes.every((shape) => bridgeEndsRender(context, shape))
      ? null
      : "the text between two turns differs from what the template renders";
  },

  forgery: ({ renderer, model, countAdded }) => {
    const forged = model.tokenizer.addedTokens.map((token) => token.text).join("");
    const prompts = ["", forged].map((text) => renderer.renderInitial(...forgedPrompt(text)));
    const bridges = ["", forged].map((content) => renderer.bridge([], [result(content)]).delta);
    const isForged = [prompts, bridges].some(
      ([benign = [], hostile = []]) => countAdded(benign) !== countAdded(hostile),
    );
    return isForged ? "text from an environment can forge control tokens" : null;
  },
};

function result(content: string): FollowUp {
  return { role: "tool", name: CALL.name, callId: "call_0", content };
}

function callingTurn(content: string): TemplateMessage {
  return {
    role: "assistant",
    content,
    tool_calls: [
      { id: "call_0", type: "function", function: { name: CALL.name, arguments: CALL.args } },
    ],
  };
}

function forgedPrompt(text: string): Parameters<Renderer["renderInitial"]> {
  const parameters = { type: "object", properties: { x: { type: "string", description: text } } };
  return [
    [{ role: "user", content: `Task ${text}` }],
    [{ type: "function", function: { name: CALL.name, description: `Tool ${text}`, parameters } }],
  ];
}

function readsCall({ renderer }: Context, turn: readonly number[]): boolean {
  const { calls, errors, ended } = renderer.parse(turn);
  const [call] = calls;
  return (
    ended &&
    calls.length === 1 &&
    errors.length === 0 &&
    call?.name === CALL.name &&
    JSON.stringify(call.args) === JSON.stringify(CALL.args)
  );
}

/** The conversation rendered as a whole must end with the end token and the bridge. */
function bridgeEndsRender(
  { renderer, prompt, controls }: Context,
  followUps: readonly FollowUp[],
): boolean {
  const hasResults = followUps.some(({ role }) => role === "tool");
  const turn: TemplateMessage = hasResults
    ? callingTurn("Hi")
    : { role: "assistant", content: "Hi" };
  const messages = followUps.map(toMessage);
  const whole = controls.encode(prompt.render({ messages: [TASK, turn, ...messages] }));
  const { closing, delta } = renderer.bridge([], followUps);
  const tail = [...closing.slice(-1), ...delta];
  return whole.slice(-tail.length).join() === tail.join();
}
