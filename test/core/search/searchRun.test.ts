import { beforeEach, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { type FolderReport, searchRun, searchRuns } from "../../../src/core/search/searchRun.ts";
import { readTextIndex, textPaths, writeTextIndex } from "../../../src/core/search/textIndex.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import type { SearchHit, SearchQuery, SearchReport } from "../../../src/shared/search.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import { anAgentRecord, aRecord, aRecordedTurn } from "../runFolder/builders.ts";
import { writeEvaluation } from "../runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/first";
let files = createMemoryFileSystem();

beforeEach(() => {
  files = createMemoryFileSystem();
});

it("finds all words of a rollout, newest step first, with their context", async () => {
  await store(saying("The KEY is in the drawer."), { ...saying("No key here."), step: 4 });
  await store({ ...saying("A key opens the drawer, and the drawer is empty."), step: 7 });
  const hits = await search({ text: "key drawer" });
  expect(hits.map(({ step, matches }) => ({ step, matches }))).toEqual([
    { step: 7, matches: 3 },
    { step: 0, matches: 2 },
  ]);
  expect(hits[1]?.snippets).toEqual([
    { role: "answer", turn: 0, before: "The ", match: "KEY", after: " is in the drawer." },
  ]);
});

it("takes quoted words literally, and finds nothing for an empty query", async () => {
  await store(saying('He said "open the\\door" twice.\n'), {
    ...saying("the door open"),
    rollout: 1,
  });
  expect((await search({ text: '"open the\\door"' })).map(({ rollout }) => rollout)).toEqual([0]);
  expect(await search({ text: "  " })).toEqual([]);
});

it("searches only texts of the requested roles", async () => {
  const spoken = aRecordedTurn({ reasoning: "I think of apples.", content: "Of pears." });
  await store(aRecord({ turns: [spoken], promptText: "Fruit?", error: "lost plums" }));
  const rolesOf = async (text: string) =>
    (await search({ text })).flatMap(({ snippets }) => snippets.map(({ role }) => role));
  expect(await rolesOf("apples")).toEqual(["thinking"]);
  expect(await rolesOf("pears")).toEqual(["answer"]);
  expect(await rolesOf("fruit")).toEqual(["prompt"]);
  expect(await rolesOf("value")).toEqual(["call"]);
  expect(await rolesOf("richtig")).toEqual(["result"]);
  expect(await rolesOf("plums")).toEqual(["error"]);
  expect(await search({ text: "apples", roles: ["answer", "call"] })).toEqual([]);
});

it("finds an agent's requests and output", async () => {
  await store(anAgentRecord());
  for (const [text, role] of [
    ["brief", "prompt"],
    ["TypeError", "result"],
  ] as const) {
    expect(await search({ text }), text).toMatchObject([{ snippets: [{ role, turn: null }] }]);
  }
});

it("distinguishes case on request, in words and in regular expressions", async () => {
  await store(saying("The Answer is 42"), { ...saying("the answer is 42"), rollout: 1 });
  const found = async (query: Partial<SearchQuery>) =>
    (await search(query)).map(({ rollout }) => rollout);
  expect(await found({ text: "Answer" })).toEqual([0, 1]);
  const isCaseSensitive = true;
  expect(await found({ text: "Answer", isCaseSensitive })).toEqual([0]);
  expect(await found({ text: '"the answer"', isCaseSensitive })).toEqual([1]);
  expect(await found({ text: "ANSWER", isCaseSensitive })).toEqual([]);
  expect(await found({ text: "the [a-z]+", isRegex: true, isCaseSensitive })).toEqual([1]);
});

it("finds matches of regular expressions, and reports invalid ones", async () => {
  await store(saying("sum = 42"), { ...saying("sum = x"), rollout: 1 });
  const hits = await search({ text: "sum = \\d+", isRegex: true });
  expect(hits.map(({ rollout }) => rollout)).toEqual([0]);
  await expect(search({ text: "(", isRegex: true })).rejects.toMatchObject({
    code: "bad-expression",
    message: expect.stringContaining("Correct it"),
  });
});

it("identifies evaluation rollouts by the dashboard's groups, and by the order in which they ended", async () => {
  await writeEvaluation(files, FOLDER, 2, 0.5);
  const hits = await search({ text: '"Task 10 at 1 after"' });
  expect(hits).toMatchObject([
    { source: "evaluation", group: 4, rollout: 0, position: 14 },
    { source: "evaluation", group: 4, rollout: 1, position: 15 },
  ]);
});

it("stops at the requested number of hits, and reports that there may be more", async () => {
  await store(...[0, 1, 2].map((rollout) => ({ ...saying("again"), rollout })));
  const reports = await reportsOf({ text: "again" }, { maxHits: 2 });
  expect(reports.at(-1)).toMatchObject({ isComplete: true, isCut: true });
  expect(reports.flatMap(({ hits }) => hits)).toHaveLength(2);
});

it("rebuilds a missing, stale, or damaged index, except for the newest step, which may grow", async () => {
  const paths = textPaths(FOLDER, { source: "training", step: 0 });
  await store(saying("early"), { ...saying("late"), step: 1 });
  await search({ text: "early" });
  expect(await readTextIndex(files, paths)).not.toBeNull();
  expect(files.files.has(textPaths(FOLDER, { source: "training", step: 1 }).index)).toBe(false);

  await store({ ...saying("added"), rollout: 1 });
  expect(await readTextIndex(files, paths)).toBeNull();
  expect(await search({ text: "added" })).toHaveLength(1);
  expect(await readTextIndex(files, paths)).not.toBeNull();

  const bytes = files.files.get(paths.index);
  if (bytes === undefined) throw new Error("There is no index.");
  files.files.set(paths.index, bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1));
  expect(await readTextIndex(files, paths)).toBeNull();
  files.files.set(paths.index, bytes.subarray(0, 30));
  expect(await search({ text: "added" })).toHaveLength(1);
});

it("searches a folder that is not writable", async () => {
  await store(saying("early"), { ...saying("late"), step: 1 });
  files.allowedWrites = 0;
  expect(await search({ text: "early" })).toHaveLength(1);
});

it("reads only blocks that may contain the text, and omits none that does", async () => {
  const words = Array.from({ length: 3_000 }, (_, at) => `w${(at * 7_919).toString(36)}x`);
  const uniform = createUniform(5);
  const word = () => words[Math.floor(uniform() * words.length)] ?? "";
  const records = Array.from({ length: 60 }, (_, rollout) => ({
    ...saying(`${Array.from({ length: 900 }, word).join(" ")} É${rollout}日本 “end”`),
    rollout,
  }));
  await store(...records);
  const { index, bodies } = textPaths(FOLDER, { source: "training", step: 0 });
  const { blocks, size } = await writeTextIndex(files, { index, bodies });
  expect(blocks.length).toBeGreaterThan(3);
  expect((files.files.get(index)?.length ?? 0) / size).toBeLessThan(0.2);
  for (const text of ["é7日本", "17日本", "“END”", ...words.slice(0, 40)]) {
    const found = (await search({ text })).map(({ rollout }) => rollout);
    const holding = records.filter((record) => saidBy(record).includes(text.toLowerCase()));
    expect(found, text).toEqual(holding.map(({ rollout }) => rollout));
  }
});

it.each(["file-unreadable", "folder-unsafe"] as const)(
  "skips a run that is %s among several, also when it is the last",
  async (code) => {
    await store(saying("The key is in the drawer."));
    const broken = (): never => {
      throw new AppError(code, "This run cannot be searched.");
    };
    const filesOf = (folder: string) => (folder === FOLDER ? files : { ...files, list: broken });
    const query = { text: "key", isRegex: false, roles: [] };
    const reportsOn = async (folders: readonly string[]) => {
      const reports: FolderReport[] = [];
      for await (const report of searchRuns(folders, filesOf, { query, set: null, maxHits: 9 })) {
        reports.push(report);
      }
      return reports;
    };
    for (const folders of [
      ["/runs/broken", FOLDER],
      [FOLDER, "/runs/broken"],
    ]) {
      const reports = await reportsOn(folders);
      expect(reports.flatMap(({ hits }) => hits)).toHaveLength(1);
      expect(reports.filter(({ isComplete }) => isComplete)).toEqual(reports.slice(-1));
      expect(reports.at(-1)?.progress).toBe(1);
    }
    await expect(reportsOn(["/runs/broken"])).rejects.toMatchObject({ code });
  },
);

function saying(content: string): RolloutRecord {
  return aRecord({ turns: [aRecordedTurn({ content })] });
}

function saidBy({ turns }: RolloutRecord): string {
  return turns.map(({ content }) => content.toLowerCase()).join("\n");
}

async function store(...records: readonly RolloutRecord[]): Promise<void> {
  await files.makeDirectory(`${FOLDER}/rollouts`);
  const redactor = new Redactor();
  const rollouts = createRolloutStore({ fileSystem: files, redactor, folder: FOLDER });
  for (const record of records) await rollouts.addRollout(record);
}

async function reportsOf(query: Partial<SearchQuery>, { maxHits = 1_000 } = {}) {
  const whole = { text: "", isRegex: false, roles: [], ...query };
  const reports: SearchReport[] = [];
  for await (const report of searchRun(files, FOLDER, { query: whole, set: null, maxHits })) {
    reports.push(report);
  }
  return reports;
}

async function search(query: Partial<SearchQuery>): Promise<readonly SearchHit[]> {
  return (await reportsOf(query)).flatMap(({ hits }) => hits);
}
