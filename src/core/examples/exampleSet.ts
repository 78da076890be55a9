/** Examples of a run: which are trained on, in which order, and which are held out. */

import { groupBy } from "../../shared/groupBy.ts";
import { AppError } from "../errors.ts";
import type { Sha256 } from "../ports.ts";
import type { Example } from "./example.ts";

export interface ExampleSet {
  readonly trained: readonly Example[];
  readonly heldOut: readonly Example[];
  /** Digest of all tokens, their masks and, if requested, which examples are held out. It must be the same on resume. */
  readonly digest: string;
}

interface SetOptions {
  readonly seed: number;
  /** Share of the examples, from 0 to below 1. */
  readonly heldOut: number;
  /** If the share selects the held-out examples, include them in the digest. Default: false. */
  readonly digestsChoice?: boolean;
  readonly sha256: Sha256;
}

/** @throws AppError `no-examples` when nothing is left to train on */
export function createExampleSet(
  examples: readonly Example[],
  { seed, heldOut, digestsChoice = false, sha256 }: SetOptions,
): ExampleSet {
  const isMarked = examples.some(({ split }) => split === "held_out");
  const held = isMarked
    ? new Set(examples.filter(({ split }) => split === "held_out"))
    : chosen(examples, heldOut, (task) => sha256(`held_out|${seed}|${task}`));
  const trained = examples.filter((example) => !held.has(example));
  if (trained.length === 0) {
    throw new AppError(
      "no-examples",
      examples.length === 0
        ? "There is no example to train on: the sources under data hold none that is kept. Correct their paths or filters, or add examples."
        : `No example is left to train on: ${examples.length} of ${examples.length} are held out. Add examples, or lower held_out.`,
      { configPath: "data" },
    );
  }
  const digests = examples.map((example) => sha256(textOf(example)));
  const isChosen = digestsChoice && !isMarked && heldOut > 0;
  const choice = isChosen ? ["held_out", ...positionsIn(examples, held)] : [];
  return { trained, heldOut: [...held], digest: sha256([...digests, ...choice].join()) };
}

/** Selects whole tasks in the order of their digests until the share is reached. At least one if requested and another remains. */
function chosen(
  examples: readonly Example[],
  share: number,
  digestOf: (task: string) => string,
): ReadonlySet<Example> {
  if (share === 0) return new Set();
  const tasks = [...groupBy(examples, ({ task }) => task)].map(([task, own]) => {
    return { own, digest: digestOf(task) };
  });
  tasks.sort((a, b) => (a.digest < b.digest ? -1 : 1));
  const wanted = Math.max(1, Math.round(share * examples.length));
  const held = new Set<Example>();
  for (const { own } of tasks.slice(0, -1)) {
    if (held.size >= wanted) break;
    for (const example of own) held.add(example);
  }
  return held;
}

function positionsIn(examples: readonly Example[], held: ReadonlySet<Example>): readonly number[] {
  return examples.flatMap((example, position) => (held.has(example) ? [position] : []));
}

function textOf({ source, index, streams }: Example): string {
  const parts = streams.map(({ tokens, runs }) => [tokens.join(), JSON.stringify(runs)].join(" "));
  return [source, index, ...parts].join(" ");
}
