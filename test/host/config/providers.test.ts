import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as vscodeTypes from "vscode";
import { CodeActionProvider, FIX_ALL } from "../../../src/host/config/codeActionProvider.ts";
import { CodeLensProvider } from "../../../src/host/config/codeLensProvider.ts";
import { CompletionProvider } from "../../../src/host/config/completionProvider.ts";
import { ConfigContext } from "../../../src/host/config/configContext.ts";
import { isConfigDocument, isConfigName } from "../../../src/host/config/configFiles.ts";
import type { ConfigRun, SharedOptions } from "../../../src/host/config/configSupportOptions.ts";
import { DiagnosticsProvider } from "../../../src/host/config/diagnosticsProvider.ts";
import { configGlob } from "../../../src/host/config/findConfigs.ts";
import { HoverProvider } from "../../../src/host/config/hoverProvider.ts";
import { InlayHintsProvider } from "../../../src/host/config/inlayHintsProvider.ts";
import { LinkProvider } from "../../../src/host/config/linkProvider.ts";
import { support } from "../../../src/host/config/support.ts";
import { TaskCompletionProvider } from "../../../src/host/config/taskCompletionProvider.ts";
import { textWith } from "../../core/config/configText.ts";
import { CATALOGUE } from "../../core/config/editing/aCatalogue.ts";
import { aMeasuredRun } from "../../core/config/editing/aMeasuredRun.ts";
import { aDocument, type createFakeVscode, type FakeDocument } from "./fakeVscode.ts";

const fake = vi.hoisted(() => ({ current: null as unknown }));
vi.mock("vscode", async () => {
  const { createFakeVscode } = await import("./fakeVscode.ts");
  const made = createFakeVscode();
  fake.current = made;
  return made.vscode;
});

type Fake = ReturnType<typeof createFakeVscode>;
const editor = (): Fake => fake.current as Fake;

const warnings: string[] = [];
const log = {
  warn: (text: string) => warnings.push(text),
} as unknown as vscodeTypes.LogOutputChannel;
const run: { current: ConfigRun } = { current: { status: { kind: "none" } } };

const options: SharedOptions = {
  catalogue: { current: () => CATALOGUE },
  runStatus: () => run.current,
  measuredRun: () => ({ folder: "/runs/demo", run: aMeasuredRun() }),
  log,
  support: async () => support,
};
const brokenParts: SharedOptions = {
  ...options,
  support: () => Promise.reject(new Error("gone")),
};

/** Sound for what the providers use of a document. */
const asDocument = (document: FakeDocument) => document as unknown as vscodeTypes.TextDocument;
const anywhere = (document: FakeDocument) =>
  document.positionAt(2) as unknown as vscodeTypes.Position;
const everything = (document: FakeDocument) =>
  new (editor().vscode.Range)(
    document.positionAt(0),
    document.positionAt(document.getText().length),
  ) as unknown as vscodeTypes.Range;
const token = { isCancellationRequested: false } as vscodeTypes.CancellationToken;

beforeEach(() => {
  const { settings, marks, textDocuments, state } = editor();
  settings.clear();
  marks.clear();
  textDocuments.splice(0);
  state.isTrusted = true;
  warnings.splice(0);
  run.current = { status: { kind: "none" } };
});

describe("a document is ours", () => {
  it.each([
    ["/a/tinker-config.yaml", true],
    ["/a/tinker-config.json", true],
    ["/a/my.tinker.yml", true],
    ["/a/config.yaml", false],
    ["/a/tinker-config.yaml.bak", false],
  ])("by its name: %s %s", (path, isOurs) => {
    expect(isConfigDocument(asDocument(aDocument("a: 1", path)))).toBe(isOurs);
  });

  it("by one of its first lines, also before it has a name", () => {
    const document = aDocument("# note\n# tinker-rl: config\na: 1", "Untitled-1", "untitled");
    expect(isConfigDocument(asDocument(document))).toBe(true);
  });

  it("is known to menus", () => {
    editor().textDocuments.push(aDocument("a: 1"), aDocument("a: 1", "/a/other.yaml"));
    const known = [editor().vscode.Uri.file("/a/b.tinker.yaml")] as unknown as vscodeTypes.Uri[];
    new ConfigContext(() => known).dispose();
    expect(editor().context.get("tinkerRL.configFiles")).toEqual([
      "/a/b.tinker.yaml",
      "/projects/tinker-config.yaml",
    ]);
  });
});

async function askAll(options: SharedOptions, document: FakeDocument): Promise<readonly unknown[]> {
  const own = asDocument(document);
  const context = { diagnostics: [], only: undefined, triggerKind: 1 };
  return Promise.all([
    new CompletionProvider(options).provideCompletionItems(own, anywhere(document), token),
    new HoverProvider(options).provideHover(own, anywhere(document)),
    new CodeActionProvider(options).provideCodeActions(own, everything(document), context),
    new CodeLensProvider(options).provideCodeLenses(own),
    new LinkProvider(options).provideDocumentLinks(own),
    new InlayHintsProvider(options).provideInlayHints(own, everything(document)),
  ]);
}

const NOTHING = [{ items: [], isIncomplete: false }, null, [], [], [], []];

describe("providers", () => {
  it("answer for files that are ours", async () => {
    const [completion, hover, actions, lenses, links, hints] = await askAll(
      options,
      aDocument(textWith("lr: 1")),
    );
    expect(completion).toMatchObject({ isIncomplete: false });
    expect(hover).not.toBeNull();
    expect(JSON.stringify(actions)).toContain("Change to 'learning_rate'");
    expect(JSON.stringify(lenses)).toContain("$(play) Start Training");
    expect(JSON.stringify(links)).toContain("openreward.ai/Owner/Game");
    expect(JSON.stringify(hints)).toContain("412k tokens a step");
  });

  it("say nothing about other files, and load nothing for them", async () => {
    const document = aDocument(textWith("lr: 1"), "/projects/other.yaml");
    expect(await askAll(brokenParts, document)).toEqual(NOTHING);
    expect(warnings).toEqual([]);
  });

  it("never throw: what fails is logged without the text", async () => {
    const document = aDocument(textWith("secrets: {a: hidden-words}"));
    expect(await askAll(brokenParts, document)).toEqual(NOTHING);
    expect(warnings).toHaveLength(6);
    expect(warnings.join()).not.toContain("hidden");
  });
});

describe("inlay hints", () => {
  const textOf = (document: FakeDocument, range = everything(document)) =>
    new InlayHintsProvider(options).provideInlayHints(asDocument(document), range);

  it("lead to the run that they are of, and nowhere else", async () => {
    const [hint] = await textOf(aDocument(textWith()));
    const command = { command: "tinkerRL.openDashboard", arguments: [{ folder: "/runs/demo" }] };
    expect(hint).toMatchObject({ paddingLeft: true, label: [{ command }] });
    expect(JSON.stringify(hint)).not.toMatch(/isTrusted|command:/);
  });

  it("are those of the lines that the editor asks for", async () => {
    const document = aDocument(textWith("", "max_response_tokens: 4096"));
    const { vscode } = editor();
    const first = new vscode.Range(new vscode.Position(0, 0), new vscode.Position(2, 0));
    expect(await textOf(document)).toHaveLength(4);
    expect(await textOf(document, first as unknown as vscodeTypes.Range)).toHaveLength(1);
  });

  it("can be turned off", async () => {
    editor().settings.set("config.inlayHints", false);
    expect(await textOf(aDocument(textWith()))).toEqual([]);
  });

  it("come anew when the run has grown", () => {
    let grow = (): void => undefined;
    const provider = new InlayHintsProvider({
      ...options,
      onDidChangeMeasures: (listener) => {
        grow = listener;
        return { dispose: () => undefined };
      },
    });
    const again = vi.fn();
    provider.onDidChangeInlayHints(again);
    grow();
    expect(again).toHaveBeenCalledTimes(1);
  });
});

describe("completion", () => {
  it("does not wait for lists that do not come, and asks again when they have", async () => {
    vi.useFakeTimers();
    const late = { ...options.catalogue, update: () => new Promise<void>(() => undefined) };
    const provider = new CompletionProvider({ ...options, catalogue: late });
    const document = aDocument("model_name: ");
    const end = document.positionAt(12) as unknown as vscodeTypes.Position;
    const asked = provider.provideCompletionItems(asDocument(document), end, token);
    await vi.advanceTimersByTimeAsync(1_000);
    const list = await asked;
    vi.useRealTimers();
    expect(list.isIncomplete).toBe(true);
    expect(list.items.map(({ label }) => (label as { label: string }).label)).toContain(
      "Qwen/Qwen3-8B",
    );
  });
});

describe("quick fixes", () => {
  const actionsFor = (document: FakeDocument, only?: vscodeTypes.CodeActionKind) =>
    new CodeActionProvider(options).provideCodeActions(asDocument(document), everything(document), {
      diagnostics: [],
      only,
      triggerKind: 1,
    });

  it("carry the place of a secret, and never its text", async () => {
    const actions = await actionsFor(
      aDocument(textWith("num_epochs: 1", "secrets: {a: hidden-words}")),
    );
    const action = actions.find(({ command }) => command?.command === "_tinkerRL.moveSecret");
    expect(action).toBeDefined();
    expect(JSON.stringify(action?.command)).not.toContain("hidden");
  });

  it("repair the notation of the whole file when asked to", async () => {
    const [action, ...others] = await actionsFor(aDocument(textWith("save_every: '5'")), FIX_ALL);
    expect(others).toEqual([]);
    expect(JSON.stringify(action)).toContain('"text":"5"');
  });
});

describe("lenses", () => {
  const titles = async () => {
    const found = await new CodeLensProvider(options).provideCodeLenses(
      asDocument(aDocument(textWith())),
    );
    return found.map(({ command }) => command?.title);
  };

  it("offer no start in Restricted Mode", async () => {
    editor().state.isTrusted = false;
    expect(await titles()).toEqual(["$(check) Validate", "128 train tasks · 2 tools"]);
  });

  it("steer a run that goes on, and can be turned off", async () => {
    run.current = {
      status: { kind: "running", completed: 1, steps: null, reward: null },
      target: "run",
    };
    expect(await titles()).toContain("$(debug-stop) Stop and Save");
    editor().settings.set("config.codeLens", false);
    expect(await titles()).toEqual([]);
  });
});

describe("marks", () => {
  it("come after a pause, for ours only, and go with the document", async () => {
    vi.useFakeTimers();
    const ours = aDocument(textWith("zzz: 1"));
    const provider = new DiagnosticsProvider(options);
    editor().fire("open", ours);
    editor().fire("open", aDocument("zzz: 1", "/a/other.yaml"));
    await vi.advanceTimersByTimeAsync(149);
    expect(editor().marks.size).toBe(0);
    editor().fire("change", { document: ours });
    await vi.advanceTimersByTimeAsync(150);
    const marks = editor().marks.get("file:/projects/tinker-config.yaml");
    expect(marks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: "TRL110", source: "Tinker RL", severity: 0 }),
      ]),
    );
    expect(editor().marks.size).toBe(1);
    editor().fire("close", ours);
    expect(editor().marks.size).toBe(0);
    provider.dispose();
    vi.useRealTimers();
  });

  it("apply overrides in a trusted workspace only", async () => {
    const own = asDocument(aDocument(textWith("num_epochs: 1")));
    const provider = new DiagnosticsProvider({ ...options, overrides: () => ["batch_size=8"] });
    const codes = async () => (await provider.check(own)).map(({ code }) => code);
    expect(await codes()).toContain("TRL500");
    editor().state.isTrusted = false;
    expect(await codes()).not.toContain("TRL500");
    provider.dispose();
  });
});

describe("names of configurations", () => {
  it("stand for any text at each star, however many there are", () => {
    const { settings, vscode } = editor();
    settings.set("config.files", ["a*".repeat(14), "b*[1]*.yaml"]);
    const isConfig = (name: string) =>
      isConfigName(vscode.Uri.file(`/projects/${name}`) as unknown as vscodeTypes.Uri);
    expect(["a".repeat(14), `${"a".repeat(200)}!`, "b[1].yaml", "b1.yaml"].map(isConfig)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("are looked for with one star each, and without what else a glob knows", () => {
    editor().settings.set("config.files", ["a*b*c*d", "{x,y}.yaml", "[1]?*"]);
    expect(configGlob()).toBe("**/{a*d,?x?y?.yaml,?1??*}");
  });
});

describe("completion in tasks.json", () => {
  const text = '{"tasks": [{"type": "tinker-rl", "config": "old.yaml"}]}';
  const document = aDocument(text, "/projects/.vscode/tasks.json");
  const offers = (offset: number) => {
    const { vscode, state } = editor();
    state.foundFiles = [vscode.Uri.file("/projects/configs/a.tinker.yaml")];
    const provider = new TaskCompletionProvider(options);
    const position = document.positionAt(offset) as unknown as vscodeTypes.Position;
    return provider.provideCompletionItems(asDocument(document), position);
  };

  it("offers the configurations of the workspace where a task names one, and nothing elsewhere", async () => {
    const start = text.indexOf("old.yaml");
    expect(await offers(start + 3)).toMatchObject([
      {
        label: "configs/a.tinker.yaml",
        range: { start: { character: start }, end: { character: start + 8 } },
      },
    ]);
    expect(await offers(5)).toEqual([]);
  });
});
