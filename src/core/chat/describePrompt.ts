/** Describes a first prompt for display: its tokens with their text, and how a call and its result look in the model's format. */

import type { PromptDescription, PromptPiece } from "../../shared/promptDescription.ts";
import { errorMessage } from "../errors.ts";
import { imageRuns, imageText } from "../images/imageIds.ts";
import type { ToolSpec } from "../openreward/types.ts";
import { writeExactJson } from "../util/exactJson.ts";
import type { Chat } from "./chat.ts";
import { exampleArguments } from "./exampleArguments.ts";
import { declareTool, type FirstPrompt } from "./firstPrompt.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { exampleCallId, writtenCall } from "./writtenTurn.ts";

export interface DescribePromptOptions {
  readonly chat: Chat;
  readonly first: FirstPrompt;
  /** `first` as rendered ids. */
  readonly tokens: readonly number[];
  readonly tools: readonly ToolSpec[];
  /** True if the model reasons before it calls a tool. */
  readonly thinking: boolean;
}

export type DescribedPrompt = Pick<
  PromptDescription,
  "format" | "tools" | "prompt" | "stops" | "example" | "exampleProblem"
>;

const REASONING = "Some reasoning.";
const RESULT = "The result of the tool.";

export function describePrompt(options: DescribePromptOptions): DescribedPrompt {
  const { renderer, tokenizer } = options.chat;
  return {
    format: renderer.id,
    tools: options.tools.map(({ name }) => name),
    prompt: piecesOf(options.tokens, tokenizer),
    stops: [
      ...renderer.stopIds.flatMap((id) => piecesOf([id], tokenizer)),
      ...renderer.stopTexts.map((text) => ({ text, isControl: false, ids: [] })),
    ],
    ...describeExample(options),
  };
}

/** Splits ids at images and added tokens. Ordinary tokens are decoded together, since a character's bytes may span several of them. */
function piecesOf(
  ids: readonly number[],
  tokenizer: Pick<Tokenizer, "addedTokens" | "decode">,
): readonly PromptPiece[] {
  return imageRuns(ids).flatMap(({ start, end, image }) => {
    const run = ids.slice(start, end);
    if (image === null) return textPieces(run, tokenizer);
    return { text: imageText(ids[start] ?? 0), isControl: true, ids: run };
  });
}

function textPieces(
  ids: readonly number[],
  tokenizer: Pick<Tokenizer, "addedTokens" | "decode">,
): readonly PromptPiece[] {
  const added = new Map(tokenizer.addedTokens.map(({ id, text }) => [id, text]));
  const pieces: PromptPiece[] = [];
  let start = 0;
  const endText = (end: number): void => {
    const plain = ids.slice(start, end);
    if (plain.length === 0) return;
    pieces.push({ text: tokenizer.decode(plain), isControl: false, ids: plain });
  };
  for (const [at, id] of ids.entries()) {
    const text = added.get(id);
    if (text === undefined) continue;
    endText(at);
    pieces.push({ text, isControl: true, ids: [id] });
    start = at + 1;
  }
  endText(ids.length);
  return pieces;
}

function describeExample(
  options: DescribePromptOptions,
): Pick<PromptDescription, "example" | "exampleProblem"> {
  const [tool] = options.tools;
  if (tool === undefined) return { example: null, exampleProblem: "The task has no tools." };
  try {
    return { example: exampleCall(options, tool), exampleProblem: null };
  } catch (error) {
    return { example: null, exampleProblem: errorMessage(error) };
  }
}

function exampleCall(options: DescribePromptOptions, { name, inputSchema }: ToolSpec) {
  const { renderer, tokenizer } = options.chat;
  const call = { name, args: exampleArguments(inputSchema ?? {}) };
  const declared = options.tools.map(declareTool);
  const { turn, isRead } = writtenCall({
    chat: options.chat,
    declared,
    call,
    reasoning: options.thinking ? REASONING : null,
  });
  const callId = renderer.parse(turn, declared).calls[0]?.id ?? exampleCallId(name);
  const { closing, delta } = renderer.bridge(turn, [
    { role: "tool", name, callId, content: RESULT },
  ]);
  return {
    call: `${name}(${writeExactJson(call.args, "spaced")})`,
    turn: piecesOf(turn, tokenizer),
    isRead,
    bridge: piecesOf([...closing, ...delta], tokenizer),
  };
}
