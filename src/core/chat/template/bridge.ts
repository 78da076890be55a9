/**
 * Builds the ids between two model turns. The text around results is extracted once per shape from a rendered dummy conversation;
 * a bridge then only encodes what is new.
 */

import { AppError, isAppError } from "../../errors.ts";
import { unusedMark } from "../../util/unusedMark.ts";
import type { ControlTokens } from "../controlTokens.ts";
import type { FollowUp } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { PromptTemplate, TemplateMessage } from "./promptTemplate.ts";
import { END_TOKEN } from "./templateFamily.ts";
import { createTextEscaper } from "./textEscaper.ts";

interface BridgeOptions {
  readonly prompt: PromptTemplate;
  readonly tokenizer: Tokenizer;
  readonly controls: ControlTokens;
}

/** Ids from after a turn's end token to the opening of the next turn, for one shape of follow-ups. */
type BridgePlan = (followUps: readonly FollowUp[]) => readonly number[];
/** How the dummy turn before the follow-ups is written: with calls if the template prints them, else as text. */
type DummyForm = "object arguments" | "json arguments" | "text";

const SLOT = /zq(\d+)(content|name|callId)qz/g;
/** Contents that reveal whether a template trims, quotes or skips text instead of copying it. */
const PROBES = [' \n "a\\b" é \n ', ""];

/**
 * Returns a function from follow-ups to ids. Text from follow-ups never yields an added token. It throws AppError `chat-bridge`
 * if the template cannot render these follow-ups.
 */
export function createBridges(options: BridgeOptions): BridgePlan {
  const plans = new Map<string, BridgePlan>();
  return (followUps) => {
    const shape = followUps.map(({ role }) => role).join(" ");
    const plan = plans.get(shape) ?? createPlan(options, followUps);
    plans.set(shape, plan);
    return plan(followUps);
  };
}

function createPlan(options: BridgeOptions, shape: readonly FollowUp[]): BridgePlan {
  const slots = shape.map(slotFor);
  const { form, tail } = findForm(options, slots);
  const copies = PROBES.every((content) => {
    const texts = { content, name: 'a"b', callId: 'c"d' };
    const probe = slots.map((slot) => mapTexts(slot, (_, field) => texts[field]));
    return fill(tail, probe) === renderTail(options, form, probe);
  });
  return copies ? splicingPlan(options, tail) : renderingPlan(options, form);
}

/** For templates that copy contents: constant ids around text with slots. */
function splicingPlan({ tokenizer, controls }: BridgeOptions, tail: string): BridgePlan {
  const parts = controls.split(tail).map((piece) => {
    if (piece.kind === "control") return [piece.id];
    return piece.text.search(SLOT) < 0 ? tokenizer.encodeText(piece.text) : piece.text;
  });
  return (followUps) =>
    parts.flatMap((part) =>
      typeof part === "string" ? tokenizer.encodeText(fill(part, followUps)) : part,
    );
}

/** For templates that trim or quote contents: renders every time, with the contents escaped. */
function renderingPlan(options: BridgeOptions, form: DummyForm): BridgePlan {
  const { controls, prompt } = options;
  return (followUps) => {
    const surroundings = [prompt.source, JSON.stringify(followUps)];
    const escaper = createTextEscaper({ controlTexts: controls.texts, surroundings });
    const escaped = followUps.map((followUp) =>
      mapTexts(followUp, (text) => escaper.escapeText(text)),
    );
    const tail = renderTail(options, form, escaped);
    if (tail === null) throw refused();
    return controls.encode(tail, escaper.unescape);
  };
}

function findForm(options: BridgeOptions, slots: readonly FollowUp[]) {
  const hasResults = slots.some(({ role }) => role === "tool");
  const forms: readonly DummyForm[] = hasResults
    ? ["object arguments", "json arguments", "text"]
    : ["text"];
  let cause: unknown;
  for (const form of forms) {
    try {
      const tail = renderTail(options, form, slots);
      if (tail !== null && slots.every((slot) => tail.includes(slot.content)))
        return { form, tail };
    } catch (error) {
      if (!isAppError(error, "chat-render")) throw error;
      cause = error;
    }
  }
  throw refused(cause);
}

/** The rendered text after the dummy turn's end token; null if the template does not print the dummy turn. */
function renderTail(
  { prompt }: BridgeOptions,
  form: DummyForm,
  followUps: readonly FollowUp[],
): string | null {
  const marker = unusedMarker(followUps);
  const rendered = prompt.render({
    messages: [
      { role: "user", content: "q" },
      dummyTurn(form, followUps, marker),
      ...followUps.map(toMessage),
    ],
  });
  const markerAt = rendered.lastIndexOf(marker);
  const endAt = rendered.indexOf(END_TOKEN, markerAt);
  return markerAt < 0 || endAt < 0 ? null : rendered.slice(endAt + END_TOKEN.length);
}

function dummyTurn(
  form: DummyForm,
  followUps: readonly FollowUp[],
  marker: string,
): TemplateMessage {
  if (form === "text") return { role: "assistant", content: marker };
  const args = { x: marker };
  const calls = followUps
    .filter((followUp) => followUp.role === "tool")
    .map(({ name, callId }) => ({
      id: callId,
      type: "function" as const,
      function: { name, arguments: form === "object arguments" ? args : JSON.stringify(args) },
    }));
  return { role: "assistant", content: "", tool_calls: calls };
}

/** Converts a follow-up to the message shape that templates expect. */
function toMessage(followUp: FollowUp): TemplateMessage {
  const { role, content } = followUp;
  if (role === "user") return { role, content };
  return { role, content, name: followUp.name, tool_call_id: followUp.callId };
}

function unusedMarker(followUps: readonly FollowUp[]): string {
  const texts = followUps.map((followUp) => Object.values(followUp).join("\n")).join("\n");
  return unusedMark("zqturn", "qz", texts);
}

type TextField = "content" | "name" | "callId";

function mapTexts(
  followUp: FollowUp,
  change: (text: string, field: TextField) => string,
): FollowUp {
  const { role } = followUp;
  const content = change(followUp.content, "content");
  if (role === "user") return { role, content };
  const name = change(followUp.name, "name");
  return { role, name, callId: change(followUp.callId, "callId"), content };
}

function slotFor(followUp: FollowUp, index: number): FollowUp {
  return mapTexts(followUp, (_, field) => `zq${index}${field}qz`);
}

function fill(text: string, followUps: readonly FollowUp[]): string {
  return text.replace(SLOT, (slot, index: string, field: string) => {
    const texts: Readonly<Record<string, unknown>> = { ...followUps[Number(index)] };
    const value = texts[field];
    return typeof value === "string" ? value : slot;
  });
}

function refused(cause?: unknown): AppError {
  return new AppError(
    "chat-bridge",
    "The model's chat template cannot continue a conversation by appending: it has no place for these tool results or messages after a model turn. " +
      "Set `tokenizer_name` to a model whose template takes tool results.",
    { cause, configPath: "tokenizer_name" },
  );
}
