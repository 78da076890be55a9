/** Remembers which trainings wait for another run: they end with their window, and the next one says so. */

import * as z from "zod";
import { soon } from "../../node/soon.ts";
import type { Memento } from "../vscode/memento.ts";
import type { Holder } from "./runSlots.ts";
import type { Trainings } from "./trainings.ts";

export type WaitingStart = Pick<Holder, "title" | "startsAgain">;

const KEY = "waitingStarts";
/** A window that closes ends those that wait, and must not take them for canceled. */
const KEEP_MS = 500;
const stored = z.array(z.object({ title: z.string(), startsAgain: z.string().nullable() }));

/** What waited when the window before this one closed; once. */
export async function takeWaitingStarts(state: Memento): Promise<readonly WaitingStart[]> {
  const left = stored.safeParse(state.get(KEY)).data ?? [];
  if (left.length > 0) await state.update(KEY, []);
  return left;
}

/** Keeps what waits in `state`. */
export function keepWaitingStarts(
  trainings: Pick<Trainings, "waiting" | "onDidChange">,
  state: Memento,
): { dispose(): void } {
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
