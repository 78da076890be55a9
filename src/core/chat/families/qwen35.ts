/**
 * Qwen3.5, 3.6 and 3.8: ChatML turns, tools declared as JSON, calls as XML, reasoning opened by the prompt.
 * Source: the chat templates of Qwen/Qwen3.5-9B, Qwen/Qwen3.6-27B and Qwen/Qwen3.8-27B.
 */

import { type ExactJson, writeExactJson } from "../../util/exactJson.ts";
import { strip } from "../../util/strip.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";
import type { Piece } from "../pieces.ts";
import type { AssistantMessage, ToolDeclaration } from "../renderer.ts";
import { QWEN_IMAGES } from "./qwenImages.ts";
import { splitSystem, THINK } from "./turns.ts";
import {
  callPieces,
  conversationTurns,
  END,
  followUpPieces,
  START,
  writeJsonValue,
  writePythonValue,
  XML_LESSON,
  xmlTurnReading,
} from "./xmlChatml.ts";

/** Differences between the releases. */
interface Release {
  readonly name: string;
  /** Writes one argument of a call as text. */
  readonly writeValue: (value: ExactJson) => string;
  /** Prints a system turn for an empty system text. */
  readonly writesEmptySystem: boolean;
  /** True keeps all earlier reasoning; false keeps only what follows the last user message. */
  readonly keepsReasoning: boolean;
  /** The sentence before the system text, by effort. */
  readonly efforts: Readonly<Record<string, string>>;
  readonly defaultEffort: string | null;
}

const QWEN35: Release = {
  name: "qwen3.5",
  writeValue: writePythonValue,
  writesEmptySystem: true,
  keepsReasoning: false,
  efforts: {},
  defaultEffort: null,
};
const QWEN36: Release = { ...QWEN35, name: "qwen3.6", writeValue: writeJsonValue };
const QWEN38: Release = {
  ...QWEN36,
  name: "qwen3.8",
  writesEmptySystem: false,
  keepsReasoning: true,
  efforts: {
    xhigh:
      "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.",
    medium: "",
    low: "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without unnecessary elaboration.",
  },
  defaultEffort: "xhigh",
};

export function qwen35(options: FormatOptions): ChatFormat {
  return createFormat(QWEN35, options);
}

export function qwen36(options: FormatOptions): ChatFormat {
  return createFormat(QWEN36, options);
}

export function qwen38(options: FormatOptions): ChatFormat {
  return createFormat(QWEN38, options);
}

function createFormat(release: Release, options: FormatOptions): ChatFormat {
  const { thinking } = options;
  const effort = thinking ? (options.effort ?? release.defaultEffort) : null;
  const keepsReasoning = release.keepsReasoning || options.retention === "all";
  const opening: readonly Piece[] = [
    ...[START, "assistant\n", THINK.open],
    ...(thinking ? ["\n"] : ["\n\n", THINK.close, "\n\n"]),
  ];
  const effortText = effort === null ? "" : (release.efforts[effort] ?? "");
  const layout = { text: strip, resultsEnd: "" };
  return {
    id: [release.name, thinking ? (effort ?? "thinking") : "plain"].join("/"),
    images: QWEN_IMAGES,
    renderPrompt: (messages, tools) => {
      const [system, rest] = splitSystem(messages);
      return [
        ...systemTurn(release, { system, tools, effortText }),
        ...conversationTurns(rest, layout, (message, isCurrent) =>
          assistantTurn(message, release, keepsReasoning || isCurrent),
        ),
        ...opening,
      ];
    },
    renderFollowUps: (followUps) => followUpPieces(followUps, layout, opening),
    ...xmlTurnReading(thinking),
  };
}

function systemTurn(
  { writesEmptySystem }: Release,
  {
    system,
    tools,
    effortText,
  }: { system: string | null; tools: readonly ToolDeclaration[]; effortText: string },
): readonly Piece[] {
  const text = strip(system ?? "");
  if (tools.length > 0) {
    const declared = tools.flatMap((tool) => ["\n", writeExactJson({ ...tool }, "spaced")]);
    return [
      ...[START, "system\n", effortText === "" ? "" : `${effortText}\n\n`],
      "# Tools\n\nYou have access to the following functions:\n\n<tools>",
      ...[...declared, "\n</tools>", ...XML_LESSON],
      ...[text === "" ? "" : `\n\n${text}`, END, "\n"],
    ];
  }
  const both = [effortText, text].filter((part) => part !== "").join("\n\n");
  const isPrinted = both !== "" || (system !== null && writesEmptySystem);
  return isPrinted ? [START, "system\n", both, END, "\n"] : [];
}

function assistantTurn(
  { content, reasoning, calls }: AssistantMessage,
  release: Release,
  showsReasoning: boolean,
): readonly Piece[] {
  const text = strip(content);
  const thought = strip(reasoning ?? "");
  return [
    ...[START, "assistant\n"],
    ...(showsReasoning ? [THINK.open, `\n${thought}\n`, THINK.close, "\n\n"] : []),
    text,
    ...calls.flatMap((call, i) => [
      i > 0 ? "\n" : text === "" ? "" : "\n\n",
      ...callPieces(call, release.writeValue),
    ]),
    ...[END, "\n"],
  ];
}
