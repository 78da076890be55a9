import { describe, expect, it } from "vitest";
import {
  LiveCatalogue,
  type LiveCatalogueOptions,
} from "../../../src/host/catalogue/liveCatalogue.ts";
import type { ListKind, StoredList } from "../../../src/host/catalogue/storedLists.ts";
import { aList, aModel, anEnvironment, CATALOGUE, TINKER } from "./aList.ts";

const MINUTE = 60_000;

/** A catalogue with an hour on the clock, and what a test looks at and changes. */
function aCatalogue(options: Partial<LiveCatalogueOptions> = {}) {
  const state = {
    nowMs: 60 * MINUTE,
    isTrusted: true,
    isGiven: true,
    answersYes: false,
    canAsk: true,
    servers: { environments: CATALOGUE, models: TINKER, checkpoints: TINKER } as Record<
      ListKind,
      string | null
    >,
    disk: {} as Partial<Record<ListKind, StoredList<unknown>>>,
    answers: {} as Partial<Record<ListKind, () => Promise<StoredList<unknown>>>>,
    asked: [] as ListKind[],
    questions: 0,
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
    canLookUp: async () => state.canAsk,
    serverOf: (kind: ListKind) => state.servers[kind],
    permission: {
      get isGiven() {
        return state.isGiven;
      },
      ask: async () => {
        state.questions += 1;
        return state.answersYes;
      },
    },
    isTrusted: () => state.isTrusted,
    now: () => state.nowMs,
    onError: (error: unknown) => state.errors.push(error),
    ...options,
  } as LiveCatalogueOptions; // lists of any kind where the parts know them apart
  return { catalogue: new LiveCatalogue(parts), state };
}

describe("the catalogue", () => {
  it("knows what is embedded before anything else", () => {
    const { local, hosted } = aCatalogue().catalogue.current();
    expect(local.environments?.items.map(({ name }) => name)).toContain("local/calculator");
    expect(local.models?.items.map(({ name }) => name)).toEqual(["local/tiny-tool"]);
    expect(hosted).toEqual({ environments: null, models: null, checkpoints: null });
  });

  it("offers the lists of earlier sessions with their age, and asks no one", async () => {
    const { catalogue, state } = aCatalogue();
    state.disk.models = aList([aModel("Qwen/Qwen3-8B")], { atMs: 20 * MINUTE });
    await catalogue.load();
    expect(catalogue.current().hosted.models).toEqual({
      items: [aModel("Qwen/Qwen3-8B")],
      ageMs: 40 * MINUTE,
      isComplete: true,
      server: null,
    });
    expect(state.asked).toEqual([]);
  });

  it("hides lists of another server than the one that the settings lead to", async () => {
    const { catalogue, state } = aCatalogue();
    state.disk.models = aList([aModel("Qwen/Qwen3-8B")]);
    await catalogue.load();
    state.servers.models = "https://other.example";
    expect(catalogue.current().hosted.models).toBeNull();
  });
});

describe("an update", () => {
  it("asks for what is wanted and keeps it on disk", async () => {
    const { catalogue, state } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await catalogue.update(["models"]);
    expect(state.asked).toEqual(["models"]);
    expect(state.disk.models?.items).toEqual([aModel("new")]);
    expect(catalogue.current().hosted.models?.items).toEqual([aModel("new")]);
  });

  it("does not ask again while the answer is fresh", async () => {
    const { catalogue, state } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await catalogue.update(["models"]);
    state.nowMs += 9 * MINUTE;
    await catalogue.update(["models"]);
    expect(state.asked).toHaveLength(1);
    state.nowMs += 2 * MINUTE;
    await catalogue.update(["models"]);
    expect(state.asked).toHaveLength(2);
  });

  it("asks once for two who need the same at once", async () => {
    const { catalogue, state } = aCatalogue();
    state.answers.models = async () => aList([aModel("new")], { atMs: state.nowMs });
    await Promise.all([catalogue.update(["models"]), catalogue.update(["models"])]);
    expect(state.asked).toEqual(["models"]);
  });

  it("rests for a minute after a failure, and keeps what it had", async () => {
    const { catalogue, state } = aCatalogue();
    state.disk.models = aList([aModel("old")]);
    await catalogue.load();
    await catalogue.update(["models"]);
    await catalogue.update(["models"]);
    expect(state.asked).toHaveLength(1);
    expect(state.errors).toHaveLength(1);
    expect(catalogue.current().hosted.models?.items).toEqual([aModel("old")]);
    state.nowMs += MINUTE;
    await catalogue.update(["models"]);
    expect(state.asked).toHaveLength(2);
  });

  it("asks no one in Restricted Mode, not even the user", async () => {
    const { catalogue, state } = aCatalogue();
    state.isTrusted = false;
    state.isGiven = false;
    await catalogue.update(["models"]);
    await catalogue.refresh("models");
    await catalogue.refreshEnvironment("Owner/Game");
    expect([state.asked, state.questions]).toEqual([[], 0]);
    expect(state.disk).toEqual({});
  });

  it("asks a service only after the user said yes", async () => {
    const { catalogue, state } = aCatalogue();
    state.isGiven = false;
    await catalogue.update(["models"]);
    expect([state.asked, state.questions]).toEqual([[], 1]);
    state.answersYes = true;
    state.answers.models = async () => aList([]);
    await catalogue.update(["models"]);
    expect(state.asked).toEqual(["models"]);
  });

  it("does not bother the user where no one could answer", async () => {
    const { catalogue, state } = aCatalogue();
    state.isGiven = false;
    state.canAsk = false;
    await catalogue.update(["models"]);
    expect(state.questions).toBe(0);
  });
});

describe("environments", () => {
  it("keep their tasks and tools when the list, which has only names, comes again", async () => {
    const { catalogue, state } = aCatalogue();
    const names = (): Promise<StoredList<unknown>> =>
      Promise.resolve(
        aList([anEnvironment("Owner/Game"), anEnvironment("Owner/Other")], { server: CATALOGUE }),
      );
    state.answers.environments = names;
    await catalogue.refresh("environments");
    await catalogue.refreshEnvironment("Owner/Game");
    await catalogue.refresh("environments");
    const game = catalogue
      .current()
      .hosted.environments?.items.find(({ name }) => name === "Owner/Game");
    expect(game).toMatchObject({
      splits: [{ name: "train", tasks: 7 }],
      tools: ["look"],
      secrets: ["A_KEY"],
    });
  });

  it("can be asked about one by one, before there is any list", async () => {
    const { catalogue } = aCatalogue();
    await catalogue.refreshEnvironment("Owner/Game");
    const list = catalogue.current().hosted.environments;
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

  it("of this window's runs come with their reward, and once where the service has them too", async () => {
    const { catalogue, state } = aCatalogue();
    state.disk.checkpoints = aList([
      saved("tinker://a/weights/1", 0),
      saved("tinker://b/weights/1", 0),
    ]);
    await catalogue.load();
    catalogue.setSaved(
      [saved("tinker://a/weights/1", 59 * MINUTE)],
      new Map([["tinker://a/weights/1", 0.5]]),
    );
    const { local, hosted } = catalogue.current();
    expect(local.checkpoints?.items).toMatchObject([
      { path: "tinker://a/weights/1", reward: 0.5, ageMs: MINUTE, expiresInMs: MINUTE },
    ]);
    expect(hosted.checkpoints?.items).toMatchObject([{ path: "tinker://b/weights/1" }]);
  });
});
