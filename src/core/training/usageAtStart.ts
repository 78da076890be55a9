/** The tokens of a run at the start of an attempt: what its saved state counts, and what came of the attempts since. */

import type { LoggedUsage, UsageLog } from "../runFolder/usageLog.ts";
import { addTokens, type RunUsage, subtractTokens } from "../usage/tokenUsage.ts";
import type { RunContext } from "./context.ts";
import type { LoopPosition } from "./loopPosition.ts";

/**
 * What was used since the save and does not wait for its step must be done again, so it is discarded. Writes down what a run has used
 * that an earlier version began, which kept no such log.
 * @throws AppError `disk`
 */
export async function usageAtStart(
  { storage }: Pick<RunContext, "storage">,
  { counters }: Pick<LoopPosition, "counters">,
  isWaiting: Parameters<UsageLog["read"]>[0],
): Promise<RunUsage> {
  const { usage } = storage;
  const logged: LoggedUsage = await usage.read(isWaiting);
  if (logged.isEmpty) {
    usage.add({ for: "earlier_version", tokens: counters.tokens.cumulative });
    return counters.tokens;
  }
  const repeated = subtractTokens(logged.training, counters.tokens.cumulative);
  return {
    cumulative: addTokens(counters.tokens.cumulative, repeated),
    discarded: addTokens(counters.tokens.discarded, repeated),
    evaluation: logged.evaluation,
  };
}
