/**
 * Nemotron 3 and 3.5: ChatML turns, tools declared and called as XML, reasoning opened by the prompt, effort as a hint
 * after the
 * last user message. Source: the chat templates of nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16,
 * NVIDIA-Nemotron-3-Super-120B-A12B-BF16 and NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16; the 3.5 templates match Ultra's.
 */

import { type ExactJsonObject, isExactObject, writeExactJson } from "../../util/exactJson.ts";
import { strip, stripEnd } from "../../util/strip.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import type { Piece } from "../pieces.ts";
import type { AssistantMessage, ToolDeclaration } from "../renderer.ts";
import { pythonText } from "../template/pythonText.ts";
import { lastUserIndex, splitSystem, THINK } from "./turns.ts";
import {
  callPieces,
  conversationTurns,
  END,
  followUpPieces,
  START,
  writePythonValue,
  XML_LESSON,
  xmlTurnReading,
} from "./xmlChatml.ts";

/** Differences between the releases. */
interface Release {
  readonly name: string;
  /** Text on both sides of the marker that closes reasoning. */
  readonly gap: "\n" | "";
  /** Trims the text of tool-calling turns whose reasoning was dropped. */
  readonly trimsOldText: boolean;
  /** The hint after the last user message, by effort; an effort without a hint is the default. */
  readonly hints: Readonly<Record<string, string>>;
}

const NANO: Release = { name: "nemotron3-nano", gap: "\n", trimsOldText: true, hints: {} };
const SUPER: Release = {
  ...NANO,
  name: "nemotron3-super",
  hints: { low: "\n\n{reasoning effort: low}" },
};
const ULTRA: Release = {
  name: "nemotron3-ultra",
  gap: "",
  trimsOldText: false,
  hints: { medium: "\n\n{reasoning effort: efficient}" },
};
const LIGHTNING: Release = { ...ULTRA, name: "nemotron3.5-lightning", hints: {} };

export function nemotron3Nano(options: FormatOptions): ChatFormat {
  return createFormat(NANO, options);
}

export function nemotron3Super(options: FormatOptions): ChatFormat {
  return createFormat(SUPER, options);
}

export function nemotron3Ultra(options: FormatOptions): ChatFormat {
  return createFormat(ULTRA, options);
}

export function nemotron35Lightning(options: FormatOptions): ChatFormat {
  return createFormat(LIGHTNING, options);
}

const LAYOUT = { text: (content: string) => content, resultsEnd: "\n" };

function createFormat(
  release: Release,
  { thinking, effort, retention }: FormatOptions,
): ChatFormat {
  const hint = (thinking && effort !== null ? release.hints[effort] : undefined) ?? "";
  const opening: readonly Piece[] = [
    ...[START, "assistant\n", THINK.open],
    thinking ? "\n" : THINK.close,
  ];
  return {
    id: [release.name, thinking ? (hint === "" ? "thinking" : effort) : "plain"].join("/"),
    renderPrompt: (messages, tools) => {
      const [system, rest] = splitSystem(messages);
      const last = lastUserIndex(rest);
      const hinted = rest.map((message, i) =>
        i === last ? { ...message, content: message.content + hint } : message,
      );
      const turns = conversationTurns(hinted, LAYOUT, (message, isCurrent) =>
        assistantTurn(message, release, retention === "all" || isCurrent),
      );
      return [...systemTurn(system ?? "", tools), ...turns, ...opening];
    },
    renderFollowUps: (followUps) => {
      const last = lastUserIndex(followUps);
      const hinted = followUps.map((followUp, i) =>
        i === last ? { ...followUp, content: followUp.content + hint } : followUp,
      );
      return followUpPieces(hinted, LAYOUT, opening);
    },
    ...xmlTurnReading(thinking),
  };
}

/** Always printed, even without a system text. */
function systemTurn(text: string, tools: readonly ToolDeclaration[]): readonly Piece[] {
  if (tools.length === 0) return [START, "system\n", text, END, "\n"];
  return [
    ...[START, "system\n", text === "" ? "" : `${text}\n\n`],
    "# Tools\n\nYou have access to the following functions:\n\n<tools>",
    ...[...tools.map(declaration), "\n</tools>", ...XML_LESSON, END, "\n"],
  ];
}

function declaration({ function: { name, description, parameters } }: ToolDeclaration): string {
  const { properties, required } = parameters;
  const entries = isExactObject(properties) ? Object.entries(properties) : [];
  return [
    "\n<function>",
    element("name", name),
    element("description", strip(description)),
    "\n<parameters>",
    ...entries.map(([key, schema]) => parameterElement(key, isExactObject(schema) ? schema : {})),
    otherElements(parameters, ["type", "properties", "required"]),
    required === undefined ? "" : element("required", writeExactJson(required, "spaced")),
    "\n</parameters>\n</function>",
  ].join("");
}

function parameterElement(name: string, schema: ExactJsonObject): string {
  const { type, description, enum: choices } = schema;
  return [
    "\n<parameter>",
    element("name", name),
    type === undefined ? "" : element("type", pythonText(type)),
    description === undefined ? "" : element("description", strip(writePythonValue(description))),
    choices === undefined ? "" : element("enum", writeExactJson(choices, "spaced")),
    otherElements(schema, ["name", "type", "description", "enum"]),
    "\n</parameter>",
  ].join("");
}

function otherElements(schema: ExactJsonObject, handled: readonly string[]): string {
  return Object.entries(schema)
    .filter(([key]) => !handled.includes(key))
    .map(([key, value]) => element(key, writePythonValue(value)))
    .join("");
}

function element(tag: string, text: string): string {
  return `\n<${tag}>${text}</${tag}>`;
}

function assistantTurn(
  { content, reasoning, calls }: AssistantMessage,
  { gap, trimsOldText }: Release,
  showsReasoning: boolean,
): readonly Piece[] {
  const thought = reasoning === null || strip(reasoning) === "" ? null : reasoning;
  const text = thought === null ? content : gap + content;
  const oldCallText = trimsOldText ? strip(text) : text;
  return [
    ...[START, "assistant\n", THINK.open],
    ...[showsReasoning && thought !== null ? `\n${thought}${gap}` : "", THINK.close],
    calls.length > 0 && !showsReasoning ? oldCallText : stripEnd(text),
    calls.length > 0 ? "\n" : "",
    ...calls.flatMap((call) => [...callPieces(call, writePythonValue), "\n"]),
    ...[END, "\n"],
  ];
}
