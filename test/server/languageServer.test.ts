import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type {
  CodeAction,
  CodeLens,
  CompletionList,
  Diagnostic,
  DocumentLink,
  InlayHint,
  ProtocolConnection,
} from "vscode-languageserver/node";
import {
  CONFIG_REQUESTS,
  CONTEXT_CHANGED,
  type ConfigContext,
  EDITOR_REQUESTS,
} from "../../src/api/config.ts";
import { RUN_REQUESTS } from "../../src/api/runs.ts";
import { Emitter } from "../../src/core/util/emitter.ts";
import type { WindowCatalogue } from "../../src/server/catalogue.ts";
import { CONFIG_NAMES } from "../../src/shared/configNames.ts";
import { textWith } from "../core/config/configText.ts";
import { CATALOGUE } from "../core/config/editing/aCatalogue.ts";
import { aMeasuredRun } from "../core/config/editing/aMeasuredRun.ts";
import { aRunFile } from "../core/runFolder/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";

const URI = "file:///projects/demo/tinker-config.yaml";
const open: ProtocolConnection[] = [];

afterEach(() => {
  for (const editor of open.splice(0)) editor.dispose();
});

const CONTEXT: ConfigContext = {
  configNames: CONFIG_NAMES,
  overrides: [],
  advice: "all",
  schemaChecker: "none",
  readsData: true,
  lenses: { canStart: true },
  wantsHints: true,
  secrets: null,
  variables: {},
};

interface EditorOptions {
  readonly uri?: string;
  readonly snippetSupport?: boolean;
  /** Answers like an editor of this package; null for any other editor. */
  readonly own?: { readonly context?: (uri: string) => ConfigContext } | null;
  readonly catalogue?: Partial<WindowCatalogue>;
  readonly version?: string;
}

/** An editor that has opened `text`, with the messages it received. */
async function editorWith(text: string, options: EditorOptions = {}) {
  const { uri = URI, snippetSupport = true, own = null, version = "1.0.0" } = options;
  const { catalogue = {} } = options;
  const changed = new Emitter<void>();
  const { editor } = anEditor(
    {},
    {
      open: () => undefined,
      current: () => CATALOGUE,
      update: async () => undefined,
      measuredRun: () => ({ folder: "/runs/demo", run: aMeasuredRun() }),
      onDidChange: changed.event,
      onDidChangeMeasures: new Emitter<void>().event,
      ...catalogue,
    },
  );
  open.push(editor);
  const marked = new Promise<readonly Diagnostic[]>((resolve) => {
    editor.onNotification("textDocument/publishDiagnostics", ({ diagnostics }) =>
      resolve(diagnostics),
    );
  });
  const asked: string[] = [];
  const answer = <Request>(
    name: keyof typeof EDITOR_REQUESTS,
    give: (request: Request) => object | null,
  ) =>
    editor.onRequest(EDITOR_REQUESTS[name], (request: Request): object | null => {
      asked.push(name);
      return give(request);
    });
  answer("context", (request: { uri: string }) => own?.context?.(request.uri) ?? CONTEXT);
  for (const method of ["workspace/codeLens/refresh", "workspace/inlayHint/refresh"]) {
    editor.onRequest(method, () => {
      asked.push(method);
      return null;
    });
  }
  const completion = { completionItem: { snippetSupport } };
  await editor.sendRequest("initialize", {
    processId: null,
    rootUri: null,
    capabilities: { textDocument: { completion } },
    initializationOptions:
      own === null ? undefined : { tinkerRlVersion: version, storageFolder: "/storage" },
  });
  await editor.sendNotification("initialized", {});
  await editor.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "yaml", version: 1, text },
  });
  return {
    editor,
    marked,
    asked,
    /** Announces new lists. */
    change: () => changed.fire(),
    own: <Answer>(request: keyof typeof CONFIG_REQUESTS, parameters: object = {}) =>
      editor.sendRequest<Answer>(CONFIG_REQUESTS[request], { uri, ...parameters }),
    ask: <Answer>(method: string, parameters: object) =>
      editor.sendRequest<Answer>(method, { textDocument: { uri }, ...parameters }),
  };
}

const SOUND = `model_name: local/tiny-tool
batch_size: 4
max_steps: 2
environments:
  local/calculator:
    num_rollouts: 4
    nonterminal_reward: 0
    splits: { train: {} }
`;

it("marks a misspelled key, and offers to correct it", async () => {
  const { marked, ask } = await editorWith(SOUND.replace("batch_size", "batch_sise"));
  const found = (await marked).find(({ code }) => code === "TRL110");
  expect(found).toMatchObject({ range: { start: { line: 1, character: 0 } }, source: "Tinker RL" });
  const actions = await ask<CodeAction[]>("textDocument/codeAction", {
    range: found?.range,
    context: { diagnostics: [found] },
  });
  const edits = actions.map(({ edit }) => edit?.changes?.[URI]);
  expect(edits).toContainEqual([
    {
      range: { start: { line: 1, character: 0 }, end: { line: 1, character: 10 } },
      newText: "batch_size",
    },
  ]);
});

it("completes keys, with snippets only if the editor supports them", async () => {
  const at = { position: { line: 1, character: 9 } };
  const inserted = async (snippetSupport: boolean) => {
    const { ask } = await editorWith("environments:\n  local/c", { snippetSupport });
    const { items } = await ask<CompletionList>("textDocument/completion", at);
    return items.find(({ label }) => label === "local/calculator")?.textEdit?.newText;
  };
  expect(await inserted(true)).toMatch(/^local\/calculator:\n.*\$/s);
  expect(await inserted(false)).toMatch(/^local\/calculator:\n[^$]*$/);
});

it("shows documentation for the key under the pointer and links names", async () => {
  const { ask } = await editorWith(`${SOUND}log_path: ../runs\n`);
  const hover = await ask<{ contents: { value: string } }>("textDocument/hover", {
    position: { line: 1, character: 2 },
  });
  expect(hover.contents.value).toContain("batch_size");
  const links = await ask<{ target: string }[]>("textDocument/documentLink", {});
  expect(links.map(({ target }) => target)).toContain("file:///projects/runs");
});

it("ignores other files", async () => {
  const { ask } = await editorWith("a: 1\n", { uri: "file:///projects/other.yaml" });
  const at = { position: { line: 0, character: 0 } };
  expect(await ask("textDocument/hover", at)).toBeNull();
  expect(await ask("textDocument/completion", at)).toBeNull();
});

describe("for the editor of this package", () => {
  const EVERYTHING = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } };

  it("shows lenses, links, hints and names based on the editor's state", async () => {
    const { ask } = await editorWith(textWith("lr: 1"), { own: {} });
    const lenses = await ask<CodeLens[]>("textDocument/codeLens", {});
    expect(lenses.map(({ command, data }) => [command?.title, data.action])).toEqual([
      ["$(play) Start Training", "start"],
      ["$(check) Validate", "validate"],
      ["$(graph) Estimate", "estimate"],
      ["128 train tasks · 2 tools", "none"],
    ]);
    const links = await ask<DocumentLink[]>("textDocument/documentLink", {});
    expect(links.map(({ data }) => data)).toContainEqual({
      kind: "page",
      url: "https://openreward.ai/Owner/Game",
    });
    const hints = await ask<InlayHint[]>("textDocument/inlayHint", { range: EVERYTHING });
    expect(hints[0]).toMatchObject({
      paddingLeft: true,
      label: [
        { command: { command: "tinkerRL.openDashboard", arguments: [{ folder: "/runs/demo" }] } },
      ],
    });
    expect(JSON.stringify(hints)).toContain("412k tokens/step");
    const first = { start: EVERYTHING.start, end: { line: 2, character: 0 } };
    const some = await ask<InlayHint[]>("textDocument/inlayHint", { range: first });
    expect(some.length).toBeLessThan(hints.length);
  });

  it("offers no start in an untrusted workspace, and a stop while a run is in progress", async () => {
    const lensesWith = async (lenses: ConfigContext["lenses"], parents: readonly string[] = []) => {
      const { editor, ask } = await editorWith(textWith(), {
        own: { context: () => ({ ...CONTEXT, lenses }) },
      });
      const places = { parents, opened: [], names: {}, archived: [] };
      await editor.sendRequest(RUN_REQUESTS.look, { places });
      return await ask<CodeLens[]>("textDocument/codeLens", {});
    };
    const titles = (found: readonly CodeLens[]) => found.map(({ command }) => command?.title);
    expect(titles(await lensesWith({ canStart: false }))).toEqual([
      "$(check) Validate",
      "128 train tasks · 2 tools",
    ]);
    expect(titles(await lensesWith(null))).toEqual([]);
    const parent = folderOfThisTest();
    const folder = join(parent, "live");
    const configPath = fileURLToPath(URI);
    const heartbeatAtMs = new FakeClock().now();
    const beating = { pid: process.pid, heartbeatAtMs, phase: "running" } as const;
    const file = aRunFile({ ...beating, configPath, control: null });
    await mkdir(folder);
    await writeFile(join(folder, "run.json"), JSON.stringify(file));
    const found = await lensesWith({ canStart: true }, [parent]);
    const stop = found.find(({ data }) => data.action === "stop");
    expect(stop).toMatchObject({
      command: { title: "$(debug-stop) Stop and Save" },
      data: { folder },
    });
  });

  it("ignores documents that are not configurations there", async () => {
    const own = { context: () => ({ ...CONTEXT, configNames: ["other.yaml"] }) };
    const { ask, own: request } = await editorWith(textWith(), { own });
    expect(await ask("textDocument/codeLens", {})).toEqual([]);
    await expect(request("check")).rejects.toThrow("not an open configuration");
  });

  it("requests the editor's state once, until it changes", async () => {
    const { editor, asked, ask, own } = await editorWith(textWith(), { own: {} });
    const contexts = (): number => asked.filter((name) => name === "context").length;
    await own("check");
    await ask("textDocument/codeLens", {});
    const contentChanges = [{ text: textWith("num_epochs: 1") }];
    await editor.sendNotification("textDocument/didChange", {
      textDocument: { uri: URI, version: 2 },
      contentChanges,
    });
    await own("check");
    expect(contexts()).toBe(1);
    await editor.sendNotification(CONTEXT_CHANGED);
    await own("check");
    expect(contexts()).toBe(2);
  });

  it("leaves schema errors to another program if a text names the schema", async () => {
    const own = { context: () => ({ ...CONTEXT, schemaChecker: "modeline" as const }) };
    const wrong = textWith("batch_sise: 1");
    const plain = await editorWith(wrong, { own });
    const named = await editorWith(`# yaml-language-server: $schema=a.json\n${wrong}`, { own });
    const codes = async ({ marked }: typeof plain) => (await marked).map(({ code }) => code);
    expect(await codes(plain)).toContain("TRL110");
    expect(await codes(named)).not.toContain("TRL110");
  });

  it("does not wait for late lists, and requests them again once they are available", async () => {
    const catalogue = { update: () => new Promise<void>(() => undefined) };
    const { ask } = await editorWith("model_name: ", { own: {}, catalogue });
    const at = { position: { line: 0, character: 12 } };
    const list = await ask<CompletionList>("textDocument/completion", at);
    expect(list.isIncomplete).toBe(true);
    expect(list.items.map(({ label }) => label)).toContain("Qwen/Qwen3-8B");
  });

  it("validates again, and refreshes lenses and hints, when names have arrived", async () => {
    const { editor, asked, change, own: request } = await editorWith(textWith(), { own: {} });
    let checks = 0;
    editor.onNotification("textDocument/publishDiagnostics", () => {
      checks += 1;
    });
    await request("check");
    const before = checks;
    change();
    await vi.waitFor(() => expect(checks).toBeGreaterThan(before));
    expect(asked).toContain("workspace/codeLens/refresh");
    expect(asked).toContain("workspace/inlayHint/refresh");
  });

  it("validates again, and refreshes lenses and hints, when the editor's state has changed", async () => {
    let overrides: readonly string[] = [];
    const own = { context: () => ({ ...CONTEXT, overrides }) };
    const { editor, asked, own: request } = await editorWith(textWith("num_epochs: 1"), { own });
    const codes: (string | number | undefined)[][] = [];
    editor.onNotification("textDocument/publishDiagnostics", ({ diagnostics }) => {
      codes.push((diagnostics as Diagnostic[]).map(({ code }) => code));
    });
    await request("check");
    expect(codes.at(-1)).not.toContain("TRL500");
    overrides = ["batch_size=8"];
    await editor.sendNotification(CONTEXT_CHANGED);
    await vi.waitFor(() => expect(codes.at(-1)).toContain("TRL500"));
    expect(asked).toContain("workspace/codeLens/refresh");
    expect(asked).toContain("workspace/inlayHint/refresh");
  });

  it("offers fixes with commands, which contain the position of a secret but never its text", async () => {
    const text = textWith("num_epochs: 1", "secrets: {a: hidden-words}");
    const { ask } = await editorWith(text, { own: {} });
    const actions = await ask<CodeAction[]>("textDocument/codeAction", {
      range: EVERYTHING,
      context: { diagnostics: [] },
    });
    const action = actions.find(({ command }) => command?.command === "_tinkerRL.moveSecret");
    expect(action?.command?.arguments).toEqual([URI, ["secrets", "a"], expect.any(String)]);
    expect(JSON.stringify(action)).not.toContain("hidden");
  });

  it("returns the effective configuration of a text, the position for an environment, and the secret in it", async () => {
    const text = textWith("batch_sise: 1", "secrets: {a: hidden-words}");
    const { own } = await editorWith(text, { own: {} });
    expect(await own("check")).toMatchObject({ errors: expect.any(Number) });
    expect(await own("effective")).toMatch(/^batch_size: .* # /m);
    expect(await own("insertEnvironment", { name: "Owner/Game" })).toEqual({ kind: "present" });
    expect(await own("secretAt", { path: ["secrets", "a"] })).toMatchObject({
      value: "hidden-words",
    });
    await expect(own("secretAt", { path: "a" })).rejects.toThrow();
  });

  it("writes a configuration for a data file", async () => {
    const folder = folderOfThisTest();
    await writeFile(join(folder, "q.csv"), "question,answer\nWhy?,So.\n");
    const { editor } = await editorWith("a: 1", { own: {} });
    const uri = pathToFileURL(join(folder, "q.csv")).toString();
    const text = await editor.sendRequest(CONFIG_REQUESTS.forDataset, { uri });
    expect(text).toContain("tasks: q.csv");
  });

  it("rejects an editor of another version", async () => {
    await expect(editorWith("a: 1", { own: {}, version: "0.9.0" })).rejects.toThrow(
      "The editor has version 0.9.0 and its server 1.0.0. Reload the window.",
    );
  });
});

describe("sources of data", () => {
  async function withData(rows: string, context: Partial<ConfigContext> = {}) {
    const folder = folderOfThisTest();
    await writeFile(join(folder, "demos.jsonl"), rows);
    const uri = pathToFileURL(join(folder, "tinker-config.yaml")).href;
    const text = `model_name: local/tiny-tool\nmethod: sft\nbatch_size: 4\nmax_steps: 2\ndata:\n  - path: demos.jsonl\n`;
    const opened = await editorWith(text, {
      uri,
      own: { context: () => ({ ...CONTEXT, ...context }) },
    });
    const lensTitles = async (): Promise<readonly string[]> => {
      const found = await opened.ask<readonly CodeLens[]>("textDocument/codeLens", {});
      return found.map(({ command }) => command?.title ?? "");
    };
    return { ...opened, folder, lensTitles };
  }
  const ROW = `${JSON.stringify({
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ],
  })}\n`;

  it("show their contents once they were read, and again when the file has changed", async () => {
    const { lensTitles, folder } = await withData(ROW);
    await vi.waitFor(async () =>
      expect(await lensTitles()).toContainEqual(expect.stringMatching(/ 1 example · 1 turn/)),
    );
    await writeFile(join(folder, "demos.jsonl"), ROW.repeat(3));
    await vi.waitFor(async () =>
      expect(await lensTitles()).toContainEqual(expect.stringMatching(/ 3 examples · 3 turns/)),
    );
  });

  it("are marked if a run would reject them", async () => {
    const { editor } = await withData(`${ROW}{}\n`);
    const marks: Diagnostic[] = [];
    editor.onNotification("textDocument/publishDiagnostics", ({ diagnostics }) => {
      marks.push(...diagnostics);
    });
    await vi.waitFor(() =>
      expect(marks).toContainEqual(
        expect.objectContaining({
          code: "TRL222",
          severity: 1,
          message: expect.stringContaining(
            "Row 2 of demos.jsonl cannot be trained on: messages: expected a list of messages",
          ),
          range: { start: { line: 5, character: 10 }, end: { line: 5, character: 21 } },
        }),
      ),
    );
  });

  it("are not read in Restricted Mode", async () => {
    const { lensTitles, own } = await withData("{}\n", { readsData: false });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await own("check")).toEqual({ errors: 0, warnings: 0 });
    expect((await lensTitles()).filter((title) => /example|read/.test(title))).toEqual([]);
  });
});
