/** The stored form of an episode and its turns. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { Chat } from "../chat/chat.ts";
import { declareTool } from "../chat/firstPrompt.ts";
import type { FollowUp, ParsedTurn, ToolDeclaration } from "../chat/renderer.ts";
import type { TurnFacts } from "../runFolder/metrics/stepFacts.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { parseExactObject, writeExactJson } from "../util/exactJson.ts";
import type { Ledger } from "./ledger.ts";
import type { SampledTurn } from "./sampleTurn.ts";

export type TurnRecord = RolloutRecord["turns"][number];
export type ToolResultRecord = TurnRecord["results"][number];

/** Limits on stored tools: every rollout stores its own list, and descriptions can be of any length. */
const MAX_STORED_TOOLS = 256;
const MAX_STORED_DESCRIPTION = 4_000;

export function storedTools(tools: readonly ToolDeclaration[]): RolloutRecord["tools"] {
  return tools.slice(0, MAX_STORED_TOOLS).map(({ function: tool }) => {
    const { name, description } = tool;
    const parameters = writeExactJson(tool.parameters);
    return withoutUndefined({
      name,
      description: description.slice(0, MAX_STORED_DESCRIPTION),
      parameters: parameters.length > MAX_STORED_DESCRIPTION ? undefined : parameters,
    });
  });
}

/** The tools of {@link storedTools}, whose schemas type the arguments of calls. One stored without its schema gets an empty one. */
export function restoredTools(stored: RolloutRecord["tools"]): readonly ToolDeclaration[] {
  return stored.map(({ name, description, parameters }) => {
    const inputSchema = parameters === undefined ? null : parseExactObject(parameters);
    return declareTool({ name, description, inputSchema });
  });
}

/** False when stored tools may be truncated compared to what the model read. */
export function areComplete(tools: RolloutRecord["tools"]): boolean {
  return (
    tools.length < MAX_STORED_TOOLS &&
    tools.every(
      ({ description, parameters }) =>
        description.length < MAX_STORED_DESCRIPTION && parameters !== undefined,
    )
  );
}

/** What the model wrote in a turn. */
export interface WrittenTurn {
  readonly ids: readonly number[];
  readonly text: string;
  readonly parsed: ParsedTurn;
}

/** Returns a reader of the last turn in a stream. It decodes again on each call, because texts take far more memory than their ids. */
export function lastTurnReader(
  { renderer, tokenizer }: Chat,
  ledger: Ledger,
  tools: readonly ToolDeclaration[],
): () => WrittenTurn {
  const end = ledger.length;
  const start = end - ledger.lastTurn.length;
  return () => {
    const ids = Array.from(ledger.slice(start, end));
    const text = tokenizer.decode(ids);
    return { ids, text, parsed: withTextsIn(text, renderer.parse(ids, tools)) };
  };
}

/** The turn with its longest texts as substrings of `text` where possible, which share its memory. */
function withTextsIn(text: string, parsed: ParsedTurn): ParsedTurn {
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

/** What happened in a turn besides what the model wrote. */
export type TurnOutcome = Pick<
  TurnRecord,
  | "stopReason"
  | "isTruncated"
  | "results"
  | "nudge"
  | "startedAtMs"
  | "durationMs"
  | "samplingMs"
  | "stream"
  | "asked"
>;

export function turnRecord({ ids, text, parsed }: WrittenTurn, outcome: TurnOutcome): TurnRecord {
  const { reasoning, content, lead, calls, errors } = parsed;
  const { stopReason, ...rest } = outcome;
  return {
    sampledText: text,
    reasoning,
    content,
    lead,
    calls: calls.map(({ name, args, raw }) => ({ name, args: writeExactJson(args), raw })),
    errors: errors.map(({ kind, raw, message }) => ({ kind, raw, message })),
    stopReason,
    tokens: ids.length,
    ...rest,
  };
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
