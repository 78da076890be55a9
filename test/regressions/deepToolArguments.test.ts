import { expect, it } from "vitest";
import { rolloutRecordSchema } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { encodeJsonLine, parseJson } from "../../src/core/util/jsonl.ts";
import { rolloutBody } from "../../src/host/dashboard/rolloutViews.ts";
import { playEpisode } from "../core/rollout/builders.ts";
import { result, scriptedSession } from "../core/rollout/scriptedEnvironment.ts";
import { ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aRecord } from "../core/runFolder/builders.ts";

const lists = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

async function play(args: string) {
  const called: unknown[] = [];
  const { episode, stop } = await playEpisode({
    session: scriptedSession({
      onCall: ({ name }) => {
        called.push(name);
        return result("5", { finished: true });
      },
    }),
    sampler: scriptedSampler([
      ended(`<tool_call>{"name":"add","arguments":${args}}</tool_call>`),
      ended("I give up."),
    ]),
    settings: { maxResponseTokens: 100_000, maxTotalTokens: 200_000, maxNoToolTurns: 1 },
  });
  const line = new TextDecoder().decode(encodeJsonLine(aRecord({ turns: episode.turns })));
  const record = rolloutRecordSchema.parse(parseJson(line)?.value);
  return { stop, called, record };
}

it.each([
  ["lists", `{"x":${lists(20_000)}}`],
  ["lists with a number that a double would change", `{"x":${lists(20_000)},"y":1.0}`],
])("a call that is nested too deep is refused with the reason: %s", async (_, args) => {
  const { called, record } = await play(args);
  expect(called).toEqual([]);
  expect(record.turns[0]?.errors).toMatchObject([
    { kind: "too_deep", message: expect.stringContaining("nested more than 200 levels deep") },
  ]);
  expect(rolloutBody(record).turns).not.toHaveLength(0);
});

it("a call that is nested as deep as a reader goes reaches the tool and its record can be read", async () => {
  const args = `{"x":${lists(190)}}`;
  const { called, record } = await play(args);
  expect(called).toEqual(["add"]);
  expect(record.turns[0]?.calls[0]?.args).toBe(args);
});
