/** Remembers trainings that wait for another run: they end with their window, and the next window reports them. */

import * as z from "zod";
import type { Listening } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import type { Memento } from "../vscode/memento.ts";
import type { Holder } from "./runSlots.ts";
import type { Trainings } from "./trainings.ts";

export type WaitingStart = Pick<Holder, "title" | "startsAgain">;

const KEY = "waitingStarts";
/** Delay before storing, so that a closing window, which cancels waiting trainings, does not erase them. */
const KEEP_MS = 500;
const stored = z.array(z.object({ title: z.string(), startsAgain: z.string().nullable() }));

/** What was waiting when the previous window closed; returned once. */
export async function takeWaitingStarts(state: Memento): Promise<readonly WaitingStart[]> {
  const left = stored.safeParse(state.get(KEY)).data ?? [];
  if (left.length > 0) await state.update(KEY, []);
  return left;
}

/** Stores waiting trainings in `state`. */
export function keepWaitingStarts(
  trainings: Pick<Trainings, "waiting" | "onDidChange">,
  state: Memento,
): Listening {
  const keep = soon(KEEP_MS, () => {
    const waiting = trainings.waiting.map(({ title, startsAgain }) => ({ title, startsAgain }));
    void state.update(KEY, waiting);
  });
  const listening = trainings.onDidChange(keep);
  return {
    dispose: () => {
      listening.dispose();
      keep.dispose();
    },
  };
}
