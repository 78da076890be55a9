import { describe, expect, it, vi } from "vitest";
import { writeEvidence } from "../../../src/core/runFolder/curriculumTexts.ts";
import { writeState } from "../../../src/core/runFolder/state.ts";
import { TaskTable } from "../../../src/server/dashboard/taskQuery.ts";
import { TASKS_PER_PAGE, type TaskQuery } from "../../../src/shared/taskTable.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aRunState } from "../../trainer/runState.ts";

const FOLDER = "runs/demo";
const ALL: TaskQuery = { text: "", pool: null, column: "name", isDescending: false, page: 0 };

/** Tasks from 1 on: a third each is solved, open and out of reach. */
async function save(
  fileSystem: ReturnType<typeof createMemoryFileSystem>,
  count: number,
): Promise<void> {
  const successes = [10, 5, 0] as const;
  const tasks = Array.from({ length: count }, (_, i) => {
    const own = successes[i % 3] ?? 0;
    const evidence = { successes: own, failures: 10 - own, tokens: 9_000 - i, step: i };
    return [`a:b:train:${i + 1}`, evidence] as const;
  });
  const curriculum = { tasks: writeEvidence(tasks), drawn: [] };
  await writeState(fileSystem, FOLDER, aRunState(7, { curriculum }));
}

async function pageOf(count: number, query: Partial<TaskQuery> = {}) {
  const fileSystem = createMemoryFileSystem();
  await save(fileSystem, count);
  return new TaskTable(fileSystem, FOLDER).page({ ...ALL, ...query });
}

const numbers = ({ rows }: Awaited<ReturnType<typeof pageOf>>) => rows.map(({ index }) => index);

describe("a page of the table of tasks", () => {
  it("shows what the curriculum knows of each task, in name order", async () => {
    const page = await pageOf(12);
    expect(page).toMatchObject({
      completed: 7,
      counts: { open: 4, hard: 4, solved: 4 },
      matching: 12,
      page: 0,
    });
    expect(numbers(page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(page.rows[1]).toEqual({
      environment: "a:b",
      split: "train",
      index: 2,
      pool: "open",
      success: 0.5,
      rollouts: 10,
      tokens: 8_999,
      step: 1,
    });
  });

  it("shows the matching tasks, sorted", async () => {
    expect(
      numbers(await pageOf(12, { column: "success", isDescending: true })).slice(0, 4),
    ).toEqual([1, 4, 7, 10]);
    expect(numbers(await pageOf(12, { column: "tokens" }))[0]).toBe(12);
    expect(numbers(await pageOf(12, { pool: "hard" }))).toEqual([3, 6, 9, 12]);
    expect(numbers(await pageOf(12, { text: "TRAIN:1 b" }))).toEqual([1, 10, 11, 12]);
  });

  it("is the last page if the index is past the end, and bounded", async () => {
    const page = await pageOf(2 * TASKS_PER_PAGE + 3, { page: 9 });
    expect([page.page, page.rows.length]).toEqual([2, 3]);
    expect((await pageOf(5_000)).rows).toHaveLength(TASKS_PER_PAGE);
  });

  it("is empty before the first save", async () => {
    const page = await new TaskTable(createMemoryFileSystem(), FOLDER).page(ALL);
    expect(page).toMatchObject({ completed: null, matching: 0, rows: [] });
  });

  it("uses the previous save until there is another one", async () => {
    const fileSystem = createMemoryFileSystem();
    const read = vi.spyOn(fileSystem, "readText");
    const understood = () => read.mock.calls.filter(([path]) => path.endsWith("state.prev.json"));
    const table = new TaskTable(fileSystem, FOLDER);
    await save(fileSystem, 12);
    expect((await table.page(ALL)).matching).toBe(12);
    const once = understood().length;
    expect((await table.page({ ...ALL, text: "train:12" })).matching).toBe(1);
    expect(understood()).toHaveLength(once);
    await save(fileSystem, 15);
    expect((await table.page(ALL)).matching).toBe(15);
  });
});
