import { expect, it } from "vitest";
import { nearOverlap } from "../../../../src/core/environmentCheck/checks/tasks.ts";
import { Probe } from "../../../../src/core/environmentCheck/probe/probe.ts";
import type { RemoteEnvironment } from "../../../../src/core/openreward/types.ts";
import { systemClock } from "../../../../src/node/clock.ts";

/** A prompt of sixteen unique words, followed by `last`. */
function prompt(name: string, ...last: readonly string[]): string {
  const own = Array.from({ length: 16 - last.length }, (_, index) => `${name}${index}`);
  return [...own, ...last].join(" ");
}

async function overlapOf(prompts: Readonly<Record<string, readonly string[]>>) {
  const probe = new Probe({
    // Nothing is requested from it: the check's inputs are given.
    remote: { name: "sums" } as RemoteEnvironment,
    clock: systemClock,
    seed: 0,
    tasks: 8,
    split: null,
    secrets: {},
    maxTotalTokens: null,
  });
  await probe.once("filledSplits", async () => Object.keys(prompts));
  await probe.once("promptSample", async () =>
    Object.entries(prompts).flatMap(([split, own]) =>
      own.map((each, index) => ({ split, index, prompt: each })),
    ),
  );
  const { findings } = await nearOverlap.run(probe);
  probe.end();
  return findings;
}

it("prompts of two splits are near-duplicates if most of their word runs are shared and they are not equal", async () => {
  const findings = await overlapOf({
    train: [prompt("a"), prompt("b", "x"), prompt("c", "x", "y"), prompt("d"), prompt("e", "near")],
    test: [prompt("f"), prompt("c", "z", "w"), prompt("d"), prompt("b", "z"), prompt("g")],
    other: [prompt("e", "too"), prompt("g", "v", "w", "x", "y", "z", "u", "t")],
  });
  expect(findings).toMatchObject([
    {
      message: "3 pairs of prompts have nearly the same words in two splits.",
      evidence: {
        task: "train 1 and test 3",
        numbers: "86% of their word runs are shared",
      },
    },
  ]);
});
