/** What is stored of an episode and its turns. */

import type { FollowUp, ParsedTurn } from "../chat/renderer.ts";
import type { ToolList } from "../openreward/types.ts";
import type { RolloutRecord } from "../runFolder/rolloutRecord.ts";
import type { TurnFacts } from "../runFolder/stepFacts.ts";
import { writeExactJson } from "../util/exactJson.ts";
import type { SampledTurn } from "./sampleTurn.ts";

export type TurnRecord = RolloutRecord["turns"][number];
export type ToolResultRecord = TurnRecord["results"][number];

/** Of the tools that a record keeps: each rollout has its own, and a description has no limit. */
const MAX_STORED_TOOLS = 256;
const MAX_STORED_DESCRIPTION = 4_000;

export function storedTools(tools: ToolList["tools"]): RolloutRecord["tools"] {
  return tools.slice(0, MAX_STORED_TOOLS).map(({ name, description }) => ({
    name,
    description: description.slice(0, MAX_STORED_DESCRIPTION),
  }));
}

/** The turn with its longest texts as parts of `text`, where they stand in it: parts take no memory of their own. */
export function withTextsIn(text: string, parsed: ParsedTurn): ParsedTurn {
  const partOf = (own: string): string => {
    const at = text.indexOf(own);
    return at < 0 ? own : text.slice(at, at + own.length);
  };
  const { content, reasoning } = parsed;
  return {
    ...parsed,
    content: partOf(content),
    reasoning: reasoning === null ? null : partOf(reasoning),
  };
}

/** What the model wrote, as far as the record of its turn keeps it. */
export function turnRecord(
  { tokens, stopReason }: SampledTurn,
  { reasoning, content, lead, calls, errors }: ParsedTurn,
  sampledText: string,
) {
  return {
    sampledText,
    reasoning,
    content,
    lead,
    calls: calls.map(({ name, args, raw }) => ({ name, args: writeExactJson(args), raw })),
    errors: errors.map(({ kind, raw, message }) => ({ kind, raw, message })),
    stopReason,
    tokens: tokens.length,
  } satisfies Partial<TurnRecord>;
}

export function turnFacts(
  sampled: SampledTurn,
  parsed: ParsedTurn,
  isTruncated: boolean,
): TurnFacts {
  return {
    sampledTokens: sampled.tokens.length,
    thinkingTokens: parsed.thinkingTokens,
    isTruncated,
    isParsed: parsed.errors.length === 0 && parsed.calls.length > 0,
    hasUnclosedThink: parsed.unclosedThink,
    isMissingLogprobs: sampled.wereMissing,
  };
}

export function textsOf(followUps: readonly FollowUp[]): string {
  return followUps.map(({ content }) => content).join("\n");
}
