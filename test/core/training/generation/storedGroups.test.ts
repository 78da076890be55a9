import { expect, it } from "vitest";
import { runPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { StoredGroups } from "../../../../src/core/training/generation/storedGroups.ts";
import { aRecordedTurn } from "../../runFolder/builders.ts";
import { aGroup, aRollout } from "../builders.ts";
import { aContext, FOLDER } from "../fakeContext.ts";

const PENDING = runPaths(FOLDER).pendingFolder;

it("a group that an earlier attempt wrote only in part is removed", async () => {
  const earlier = aContext();
  const { fileSystem } = earlier;
  const key = { position: 0, version: 0, settingsHash: "h" };
  const [first] = aGroup([1, 0]);
  if (first === undefined) throw new Error("the group has rollouts");
  await (await StoredGroups.open(earlier)).add(key, first);
  expect(await fileSystem.list(PENDING)).toHaveLength(1);
  const stored = await StoredGroups.open(aContext({ fileSystem }));
  expect(stored.has(key)).toBe(false);
  expect(await fileSystem.list(PENDING)).toEqual([]);
});

const SECRET = "open-sesame-9731";
const ENCODED = btoa(SECRET);

/** Files in the folder of pending groups that contain the secret. */
function leaks(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  const pending = [...files].filter(([path]) => path.includes("/pending/"));
  expect(pending.length).toBeGreaterThan(0);
  return pending.flatMap(([path, bytes]) => {
    const text = `${path}\n${new TextDecoder("latin1").decode(bytes)}`;
    return [SECRET, ENCODED].filter((value) => text.includes(value));
  });
}

it("a group on disk contains no secret in its texts, error, or tool names", async () => {
  const redactor = new Redactor();
  redactor.learn(SECRET);
  const context = aContext({ redactor });
  const stored = await StoredGroups.open(context);
  const key = { position: 0, version: 0, settingsHash: "h" };
  const tools = [{ name: SECRET, isError: true, durationS: 1 }];
  const rollout = aRollout({ reward: null, facts: { tools } });
  const record = {
    ...rollout.record,
    promptText: `Say ${SECRET} and ${ENCODED}.`,
    error: SECRET,
    turns: [aRecordedTurn({ sampledText: SECRET })],
  };
  await stored.add(key, { ...rollout, record, stack: `Error: ${SECRET}\n at ${ENCODED}` });
  expect(leaks(context.fileSystem.files)).toEqual([]);
  await stored.complete(key);
  expect(leaks(context.fileSystem.files)).toEqual([]);
  const [read] = (await stored.read(key)) ?? [];
  expect(read?.record.promptText).toMatch(/^Say \*\*\* and \*\*\*/);
  expect(read?.stack).toMatch(/^Error: \*\*\*/);
});
