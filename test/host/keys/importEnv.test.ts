import { expect, it, vi } from "vitest";
import { type ImportOptions, importEnv } from "../../../src/host/keys/importEnv.ts";
import { fakeVscode } from "../fakeVscode.ts";
import { type Answer, FakeUi } from "./fakeUi.ts";
import { FakeVault, openStore } from "./fakeVault.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const PATH = "/projects/project/.env";
const TEXT = [
  "TINKER_API_KEY=tml-secret-value-1",
  "SEARCH_TOKEN='hidden-token-2'",
  "OPENAI_API_KEY=$\u007bOTHER}",
  "OPENREWARD_API_KEY=two words",
  "LOG_LEVEL=debug-everything",
].join("\n");
const SECRETS = /secret-value|hidden-token|debug-everything|two words/;

interface SetUp {
  readonly answers: readonly Answer[];
  readonly text?: string;
  readonly paths?: readonly string[];
  readonly canEdit?: boolean;
}

function setUp({ answers, text = TEXT, paths = [PATH], canEdit = true }: SetUp) {
  const vault = new FakeVault();
  const ui = new FakeUi(...answers);
  const { store } = openStore(vault);
  const edits: unknown[] = [];
  const reads: string[] = [];
  const files: ImportOptions["files"] = {
    list: async () => paths,
    read: async (path) => {
      reads.push(path);
      return text;
    },
    commentOut: async (path, names) => {
      edits.push({ path, names });
      return canEdit;
    },
  };
  return {
    vault,
    ui,
    store,
    edits,
    reads,
    options: { store, ui, files },
  };
}

it("stores values that look like keys, shows names only, and leaves the file alone", async () => {
  const { options, store, ui, edits } = setUp({ answers: ["accept", { pick: "Keep the Lines" }] });
  await importEnv(options, undefined);
  const ids = (await store.list()).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(["env:SEARCH_TOKEN", "tinker"]);
  expect(await store.get("env:SEARCH_TOKEN")).toMatchObject({ value: "hidden-token-2" });
  expect(edits).toEqual([]);
  expect(ui.text).toMatch(/LOG_LEVEL/);
  expect(ui.text).toMatch(/Refers to another variable/);
  expect(ui.text).not.toMatch(SECRETS);
});

it("comments out the lines of the chosen names on request", async () => {
  const { options, edits } = setUp({
    answers: [{ tick: ["SEARCH_TOKEN"] }, { pick: "Comment the Lines Out" }],
  });
  await importEnv(options, undefined);
  expect(edits).toEqual([{ path: PATH, names: ["SEARCH_TOKEN"] }]);
});

it("reports lines that could not be changed, and still stores the keys", async () => {
  const { options, store, ui } = setUp({
    answers: ["accept", { pick: "Comment" }],
    canEdit: false,
  });
  await importEnv(options, undefined);
  expect(ui.text).toContain("Remove them yourself.");
  expect(await store.list()).toHaveLength(2);
  expect(ui.text).not.toMatch(SECRETS);
});

it.each([
  ["the names", ["leave"]],
  ["the lines", ["accept", "leave"]],
] as const)("does nothing when the user dismisses the prompt about %s", async (_what, answers) => {
  const { options, store, edits } = setUp({ answers });
  await importEnv(options, undefined);
  expect(await store.list()).toEqual([]);
  expect(edits).toEqual([]);
});

it("binds a key to the server that the same file sets for it", async () => {
  const text = "TINKER_BASE_URL=https://models.example.org\nTINKER_API_KEY=own-server-key";
  const { options, store, ui } = setUp({
    text,
    answers: [{ tick: ["TINKER_API_KEY"] }, { pick: "Keep" }],
  });
  await importEnv(options, undefined);
  expect(await store.get("tinker")).toMatchObject({ host: "models.example.org" });
  expect(ui.text).toContain("For models.example.org, as set in this file.");
});

it("reads no file in Restricted Mode", async () => {
  const { options, reads, ui } = setUp({ answers: [] });
  fakeVscode.workspace.isTrusted = false;
  await importEnv(options, undefined);
  fakeVscode.workspace.isTrusted = true;
  expect(reads).toEqual([]);
  expect(ui.text).toContain("Restricted Mode");
});

it("asks which of several files to read", async () => {
  const { options, reads } = setUp({
    answers: [{ pick: "/b/.env" }, "leave"],
    paths: ["/a/.env", "/b/.env"],
  });
  await importEnv(options, undefined);
  expect(reads).toEqual(["/b/.env"]);
});

it("changes no lines when nothing could be stored", async () => {
  const { options, vault, edits, ui } = setUp({
    answers: ["accept", { pick: "Comment" }, { pick: "Don't Keep" }],
  });
  vault.fault = "throws";
  await importEnv(options, undefined);
  expect(edits).toEqual([]);
  expect(ui.text).not.toMatch(SECRETS);
});
