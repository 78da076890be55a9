import { describe, expect, it } from "vitest";
import type { CatalogueAccess, ListKind } from "../../../src/api/catalogue.ts";
import {
  LiveCatalogue,
  type LiveCatalogueOptions,
} from "../../../src/server/catalogue/liveCatalogue.ts";
import type { StoredList } from "../../../src/server/catalogue/storedLists.ts";
import { aList, aModel, anEnvironment, CATALOGUE } from "./aList.ts";

const MINUTE = 60_000;
const VIEW = { variables: {}, secrets: null };
const ACCESS: CatalogueAccess = {
  keys: { TINKER_API_KEY: { value: "tml-own", origin: "store", host: null } },
  variables: {},
};

/** A catalogue with a fake clock of one hour, and its controls for tests. */
function aCatalogue(options: Partial<LiveCatalogueOptions> = {}) {
  const state = {
    nowMs: 60 * MINUTE,
    access: ACCESS as CatalogueAccess | null,
    disk: {} as Partial<Record<ListKind, StoredList<unknown>>>,
    answers: {} as Partial<Record<ListKind, () => Promise<StoredList<unknown>>>>,
    asked: [] as ListKind[],
    questions: [] as (readonly ListKind[])[],
    errors: [] as unknown[],
  };
  const answer = (kind: ListKind): Promise<StoredList<unknown>> =>
    state.answers[kind]?.() ?? Promise.reject(new Error("no answer"));
  const parts = {
    files: {
      read: async (kind: ListKind) => state.disk[kind] ?? null,
      write: async (kind: ListKind, list: StoredList<unknown>) => {
        state.disk[kind] = list;
      },
    },
    lookUp: (kind: ListKind) => {
      state.asked.push(kind);
      return answer(kind);
    },
    lookUpEnvironment: async () => ({
      splits: [{ name: "train", tasks: 7 }],
      tools: ["look"],
      secrets: ["A_KEY"],
    }),
    now: () => state.nowMs,
    onError: (error: unknown) => state.errors.push(error),
    ...options,
  } as LiveCatalogueOptions; // lists of any kind where the parts know them apart
  const catalogue = new LiveCatalogue(parts);
  const update = (wanted: readonly ListKind[]): Promise<void> =>
    catalogue.update(wanted, {}, async (stale) => {
      state.questions.push(stale);
      return state.access;
    });
  return { catalogue, state, update, current: () => catalogue.current(VIEW) };
}

describe("the catalogue", () => {
  it("starts with the embedded models and environments", () => {
    const { local, hosted } = aCatalogue().current();
    expect(local.environments?.items.map(({ name }) => name)).toContain("local/calculator");
    expect(local.models?.items.map(({ name }) => name)).toEqual(["local/tiny-tool"]);
    expect(hosted).toEqual({ environments: null, models: null, checkpoints: null });
  });

  it("offers the lists of earlier sessions with their age, without a request", async () => {
    const { catalogue, state, current } = aCatalogue();
    state.disk.models = aList([aModel("Qwen/Qwen3-8B")], { atMs: 20 * MINUTE });
    await catalogue.load();
    expect(current().hosted.models).toEqual({
      items: [aModel("Qwen/Qwen3-8B")],
      ageMs: 40 * MINUTE,
      isComplete: true,
      server: null,
    });
    expect(state.asked).toEqual([]);
  });

  it("hides lists of a server other than the configured one", async () => {
    const { catalogue, state } = aCatalogue();
    state.disk.models = aList([aModel("Qwen/Qwen3-8B")]);
    await catalogue.load();
    const variables = { TINKER_BASE_URL: "https://other.example" };
    expect(catalogue.current({ ...VIEW, variables }).hosted.models).toBeNull();
  });
});

describe("a catalogue update", () => {
  it("requests what is needed and stores it on disk", async () => {
    const { state, update, current } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await update(["models"]);
    expect(state.asked).toEqual(["models"]);
    expect(state.disk.models?.items).toEqual([aModel("new")]);
    expect(current().hosted.models?.items).toEqual([aModel("new")]);
  });

  it("does not request a fresh answer again", async () => {
    const { state, update } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await update(["models"]);
    state.nowMs += 9 * MINUTE;
    await update(["models"]);
    expect(state.asked).toHaveLength(1);
    state.nowMs += 2 * MINUTE;
    await update(["models"]);
    expect(state.asked).toHaveLength(2);
  });

  it("sends one request for two concurrent callers", async () => {
    const { state, update } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await Promise.all([update(["models"]), update(["models"])]);
    expect(state.asked).toEqual(["models"]);
  });

  it("pauses for a minute after a failure, and keeps its data", async () => {
    const { catalogue, state, update, current } = aCatalogue();
    state.disk.models = aList([aModel("old")]);
    await catalogue.load();
    await update(["models"]);
    await update(["models"]);
    expect(state.asked).toHaveLength(1);
    expect(state.errors).toHaveLength(1);
    expect(current().hosted.models?.items).toEqual([aModel("old")]);
    state.nowMs += MINUTE;
    await update(["models"]);
    expect(state.asked).toHaveLength(2);
  });

  it("sends no request if the editor forbids it, and asks the editor only about outdated data", async () => {
    const { state, update } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await update(["models"]);
    state.access = null;
    await update(["models", "environments"]);
    expect(state.asked).toEqual(["models"]);
    expect(state.questions).toEqual([["models"], ["environments"]]);
  });

  it("sends requests only to services that can answer", async () => {
    const { state, update } = aCatalogue();
    state.access = { keys: {}, variables: {} };
    await update(["models", "environments"]);
    expect(state.asked).toEqual(["environments"]);
  });
});

describe("environments", () => {
  it("keep their tasks and tools when the list, which only has names, is updated", async () => {
    const { catalogue, state, current } = aCatalogue();
    const names = (): Promise<StoredList<unknown>> =>
      Promise.resolve(
        aList([anEnvironment("Owner/Game"), anEnvironment("Owner/Other")], { server: CATALOGUE }),
      );
    state.answers.environments = names;
    await catalogue.refresh("environments", ACCESS);
    await catalogue.refreshEnvironment("Owner/Game", ACCESS);
    await catalogue.refresh("environments", ACCESS);
    const game = current().hosted.environments?.items.find(({ name }) => name === "Owner/Game");
    expect(game).toMatchObject({
      splits: [{ name: "train", tasks: 7 }],
      tools: ["look"],
      secrets: ["A_KEY"],
    });
  });

  it("can be requested one by one, before there is any list", async () => {
    const { catalogue, current } = aCatalogue();
    await catalogue.refreshEnvironment("Owner/Game", ACCESS);
    const list = current().hosted.environments;
    expect(list?.items.map(({ name }) => name)).toEqual(["Owner/Game"]);
    expect(list?.isComplete).toBe(false);
  });
});

describe("checkpoints", () => {
  const saved = (path: string, savedAtMs: number) => ({
    path,
    savedAtMs,
    model: "m",
    rank: 8,
    run: "demo",
    step: 4,
    expiresAtMs: 61 * MINUTE,
    sizeBytes: null,
    kind: "periodic",
    isGone: false,
  });

  it("of this window's runs include their reward, and appear once if the service lists them too", async () => {
    const { catalogue, state, current } = aCatalogue();
    state.disk.checkpoints = aList([
      saved("tinker://a/weights/1", 0),
      saved("tinker://b/weights/1", 0),
    ]);
    await catalogue.load();
    catalogue.setSaved(
      [saved("tinker://a/weights/1", 59 * MINUTE)],
      new Map([["tinker://a/weights/1", 0.5]]),
    );
    const { local, hosted } = current();
    expect(local.checkpoints?.items).toMatchObject([
      { path: "tinker://a/weights/1", reward: 0.5, ageMs: MINUTE, expiresInMs: MINUTE },
    ]);
    expect(hosted.checkpoints?.items).toMatchObject([{ path: "tinker://b/weights/1" }]);
  });
});
