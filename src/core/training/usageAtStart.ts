/** Tokens and time of a run at the start of an attempt: what its saved state counts, what attempts have used since, and the server check. */

import { addTokens, type RunUsage, subtractTokens, type TokenUsage } from "../usage/tokenUsage.ts";
import type { RunContext } from "./run/context.ts";
import type { LoopPosition } from "./step/loopPosition.ts";
import type { UsedGroup } from "./step/stepSource.ts";

/**
 * What was used since the save and does not wait for its step must be done again, so it is discarded.
 * @throws AppError `disk`
 */
export async function withUsage(
  { storage: { usage } }: Pick<RunContext, "storage">,
  start: LoopPosition,
  isWaiting: (group: UsedGroup) => boolean,
): Promise<LoopPosition> {
  const { tokens } = start.counters;
  const logged = await usage.read(isWaiting);
  const finished = subtractTokens(logged.training, logged.waiting);
  const repeated = subtractTokens(finished, tokens.cumulative);
  const position = withTokens(start, {
    cumulative: addTokens(tokens.cumulative, repeated),
    discarded: addTokens(tokens.discarded, repeated),
    evaluation: logged.evaluation,
  });
  const seconds = Math.max(start.counters.seconds, logged.seconds);
  return { ...position, counters: { ...position.counters, seconds } };
}

/** Counts and writes down the tokens of a server check, which belong to no step. */
export function withServerCheck(
  { storage }: Pick<RunContext, "storage">,
  position: LoopPosition,
  tokens: TokenUsage,
): LoopPosition {
  storage.usage.add({ for: "server_check", step: position.step, tokens });
  const usage = position.counters.tokens;
  return withTokens(position, { ...usage, cumulative: addTokens(usage.cumulative, tokens) });
}

function withTokens(position: LoopPosition, tokens: RunUsage): LoopPosition {
  return { ...position, counters: { ...position.counters, tokens } };
}
