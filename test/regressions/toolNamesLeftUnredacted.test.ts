import { expect, it } from "vitest";
import { flattenMetrics, type MetricsRow } from "../../src/core/runFolder/metrics/metricsTree.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { StoredGroups } from "../../src/core/training/generation/storedGroups.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aRecord } from "../core/runFolder/builders.ts";
import { aRollout } from "../core/training/builders.ts";
import { aContext } from "../core/training/fakeContext.ts";
import { prepareAhead } from "../core/training/loop/prepareAhead.ts";
import { prepareRun } from "../core/training/loop/prepareRun.ts";

const SECRET = "open-sesame-9731";
const ENCODED = btoa(SECRET);

/** Whatever of a secret lies in the folder of groups that wait. */
function leaks(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const pending = [...files].filter(([path]) => path.includes("/pending/"));
  expect(pending.length).toBeGreaterThan(0);
  return pending.flatMap(([path, bytes]) => {
    const text = `${path}\n${new TextDecoder("latin1").decode(bytes)}`;
    return [SECRET, ENCODED].filter((value) => text.includes(value));
  });
}

it("a group that waits for its step holds no secret, whether in its texts, its error or the name of a tool", async () => {
  const redactor = new Redactor();
  redactor.learn(SECRET);
  const context = aContext({ redactor });
  const stored = await StoredGroups.open(context);
  const key = { position: 0, version: 0, settingsHash: "h" };
  const tools = [{ name: SECRET, isError: true, durationS: 1 }];
  const rollout = aRollout({ reward: null, facts: { tools } });
  const [turn] = aRecord().turns;
  if (turn === undefined) throw new Error("the builder's record has a turn");
  const record = {
    ...rollout.record,
    promptText: `Say ${SECRET} and ${ENCODED}.`,
    error: SECRET,
    turns: [{ ...turn, sampledText: SECRET }],
  };
  await stored.add(key, { ...rollout, record, stack: `Error: ${SECRET}\n at ${ENCODED}` });
  expect(leaks(context.fileSystem.files)).toEqual([]);
  await stored.complete(key);
  expect(leaks(context.fileSystem.files)).toEqual([]);
  const [read] = (await stored.read(key)) ?? [];
  expect(read?.record.promptText).toMatch(/^Say \*\*\* and \*\*\*/);
  expect(read?.stack).toMatch(/^Error: \*\*\*/);
});

it("groups that a run has sampled ahead hold no secret that an environment answered with", async () => {
  const redactor = new Redactor();
  redactor.learn(SECRET);
  const onCall = ({ args }: { readonly args: { readonly reward?: unknown } }) =>
    result(`The key is ${SECRET}, or ${ENCODED}.`, { reward: Number(args.reward), finished: true });
  const remote = scriptedEnvironment([{ onCall }]);
  const run = prepareAhead({ stepsAhead: 2, steps: 6, redactor, remote });
  const { client, clock, control, fileSystem } = run.context;
  const { optimStep } = client;
  client.optimStep = async (params) => {
    const updated = await optimStep.call(client, params);
    // The groups that were issued ahead have ended by then.
    await clock.sleep(60_000);
    control.stop();
    return updated;
  };
  expect(await run.run()).toMatchObject({ outcome: "stopped" });
  expect([...fileSystem.files.keys()].some((path) => path.includes("/pending/group-"))).toBe(true);
  expect(leaks(fileSystem.files)).toEqual([]);
});

it("a metric is not called after a secret that the model took for a tool", async () => {
  const redactor = new Redactor();
  redactor.learn(SECRET);
  const onCall = () => result("", { reward: rewards.next().value ?? 0, finished: true });
  const rewards = [1, 0].values();
  const run = prepareRun({ steps: 1, redactor, remote: scriptedEnvironment([{ onCall }]) });
  run.context.client.sampler = scriptedSampler([ended(call(SECRET))]);
  await run.run();
  const names = run.rows().flatMap((row) => Object.keys(flattenMetrics(row as MetricsRow)));
  expect(names).toContain("rollout/tool/***/count");
  expect(names.join("\n")).not.toContain(SECRET);
});
