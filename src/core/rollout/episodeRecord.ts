/** What is stored of an episode and its turns. */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { Chat } from "../chat/chat.ts";
import type { FollowUp, ParsedTurn, ToolDeclaration } from "../chat/renderer.ts";
import type { TurnFacts } from "../runFolder/metrics/stepFacts.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { writeExactJson } from "../util/exactJson.ts";
import type { Ledger } from "./ledger.ts";
import type { SampledTurn } from "./sampleTurn.ts";

export type TurnRecord = RolloutRecord["turns"][number];
export type ToolResultRecord = TurnRecord["results"][number];

/** Of the tools that a record keeps: each rollout has its own, and a description has no limit. */
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

/** False where a tool may lack something of what the model read of it. */
export function areWhole(tools: RolloutRecord["tools"]): boolean {
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

/** Reads the last turn of a stream, anew each time: texts take far more memory than the ids that they are made of. */
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

/** The turn with its longest texts as parts of `text`, where they stand in it: parts take no memory of their own. */
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

/** What came of a turn beside what the model wrote. */
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
