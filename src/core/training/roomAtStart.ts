/** Waits, before a run begins, for environments that are so full that they answer no question. */

import { type AppError, isAppError } from "../errors.ts";
import type { Clock } from "../ports.ts";

export interface AskingOptions {
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

const WAIT_MS = 15_000;
const GIVE_UP_MS = 30 * 60_000;

/** The answer to a question that an environment refuses for lack of room at first. @throws what it refuses with after 30 minutes */
export async function askWhenThereIsRoom<Answer>(
  { clock, onWarning }: AskingOptions,
  name: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const startedMs = clock.monotonic();
  for (let refusals = 0; ; refusals += 1) {
    try {
      return await ask();
    } catch (error) {
      const isOver = clock.monotonic() - startedMs >= GIVE_UP_MS;
      if (isOver || !isAppError(error, "environment-capacity")) throw error;
      if (refusals === 0) onWarning(waitingText(name, error));
      const asked = error.data["retryAfterMs"];
      await clock.sleep(typeof asked === "number" ? Math.max(asked, 1_000) : WAIT_MS);
    }
  }
}

function waitingText(name: string, { message }: AppError): string {
  return `${name} has no room yet, so the run waits up to 30 min before it begins. It said: ${message}`;
}
