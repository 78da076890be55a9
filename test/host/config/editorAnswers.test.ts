import { beforeEach, describe, expect, it, vi } from "vitest";
import type * as vscodeTypes from "vscode";
import {
  configGlob,
  isConfigDocument,
  isConfigName,
} from "../../../src/host/config/configFiles.ts";
import { configFilesKey } from "../../../src/host/config/configFilesKey.ts";
import { type ConfigSources, LazyConfigSources } from "../../../src/host/config/configSources.ts";
import { configContext } from "../../../src/host/config/languageFeatures.ts";
import { taskCompletionProvider } from "../../../src/host/config/taskCompletionProvider.ts";
import { CONFIG_NAMES } from "../../../src/shared/configNames.ts";
import { CATALOGUE } from "../../core/config/editing/aCatalogue.ts";
import { settings } from "../fakeVscode.ts";
import { aDocument, editor, type FakeDocument, vscode } from "./configEditor.ts";

vi.mock("vscode", async () => (await import("./configEditor.ts")).vscode);

/** Has only the members of a document that are used. */
const asDocument = (document: FakeDocument) => document as unknown as vscodeTypes.TextDocument;

beforeEach(() => {
  settings.clear();
  editor.textDocuments.splice(0);
  vscode.workspace.isTrusted = true;
});

describe("a document is recognized as a configuration", () => {
  it.each([
    ["/a/tinker-config.yaml", true],
    ["/a/tinker-config.json", true],
    ["/a/my.tinker.yml", true],
    ["/a/config.yaml", false],
    ["/a/tinker-config.yaml.bak", false],
  ])("by its file name: %s %s", (path, isOurs) => {
    expect(isConfigDocument(asDocument(aDocument("a: 1", path)))).toBe(isOurs);
  });

  it("by one of its first lines, also before it is saved", () => {
    const document = aDocument("# note\n# tinker-rl: config\na: 1", "Untitled-1", "untitled");
    expect(isConfigDocument(asDocument(document))).toBe(true);
  });

  it("and listed in the context key for menus", () => {
    editor.textDocuments.push(aDocument("a: 1"), aDocument("a: 1", "/a/other.yaml"));
    const known = [vscode.Uri.file("/a/b.tinker.yaml")] as unknown as vscodeTypes.Uri[];
    configFilesKey(() => known).dispose();
    expect(editor.contextKeys.get("tinkerRL.configFiles")).toEqual([
      "/a/b.tinker.yaml",
      "/projects/tinker-config.yaml",
    ]);
  });
});

describe("the server's questions about a configuration", () => {
  const environments = {
    current: () => CATALOGUE,
    ready: async () => undefined,
    reload: () => undefined,
  };
  const secrets = [{ name: "SEARCH_KEY", origin: null }];
  const variables = { TINKER_BASE_URL: "https://own.example" };
  const listen = () => ({ dispose: () => undefined });
  const sources: ConfigSources = {
    environments,
    catalogueAccess: async () => null,
    variables: () => variables,
    secrets: () => secrets,
    onDidChangeSecrets: listen,
    knownConfigs: () => [],
    storeSecret: async () => false,
  };
  const uri = "file:///projects/tinker-config.yaml";
  const loaded = (): LazyConfigSources => {
    const lazy = new LazyConfigSources(async () => undefined);
    lazy.use(sources);
    return lazy;
  };

  it("are answered with the state of secrets, and addresses from settings", () => {
    expect(configContext(uri, loaded())).toEqual({
      configNames: CONFIG_NAMES,
      overrides: [],
      advice: "all",
      schemaChecker: "none",
      readsData: true,
      lenses: { canStart: true },
      wantsHints: true,
      secrets,
      variables,
    });
  });

  it("are answered without secrets before they are loaded, and updated afterwards", () => {
    const lazy = new LazyConfigSources(async () => undefined);
    let changes = 0;
    lazy.onDidChange(() => {
      changes += 1;
    });
    expect(configContext(uri, lazy).secrets).toBeNull();
    lazy.use(sources);
    expect(changes).toBe(1);
    expect(configContext(uri, lazy).secrets).toBe(secrets);
  });

  it("include overrides, and lenses that start programs, only in a trusted workspace", () => {
    settings.set("overrides", { batch_size: 8 });
    expect(configContext(uri, loaded()).overrides).toEqual(["batch_size=8"]);
    vscode.workspace.isTrusted = false;
    const { overrides, lenses, readsData } = configContext(uri, loaded());
    expect(overrides).toEqual([]);
    expect(lenses?.canStart).toBe(false);
    expect(readsData).toBe(false);
  });

  it("leave out disabled lenses and hints", () => {
    settings.set("config.codeLens", false);
    settings.set("config.inlayHints", false);
    expect(configContext(uri, loaded())).toMatchObject({ lenses: null, wantsHints: false });
  });
});

describe("patterns for configuration names", () => {
  it("match any text at each star, however many stars there are", () => {
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

  it("are searched with single stars and no other glob syntax", () => {
    settings.set("config.files", ["a*b*c*d", "{x,y}.yaml", "[1]?*"]);
    expect(configGlob()).toBe("**/{a*d,?x?y?.yaml,?1??*}");
  });
});

describe("completion in tasks.json", () => {
  const log = {} as vscodeTypes.LogOutputChannel; // unused: nothing fails
  const text = '{"tasks": [{"type": "tinker-rl", "config": "old.yaml"}]}';
  const document = aDocument(text, "/projects/.vscode/tasks.json");
  const offers = (offset: number) => {
    editor.foundFiles = [vscode.Uri.file("/projects/configs/a.tinker.yaml")];
    const provider = taskCompletionProvider(log);
    const position = document.positionAt(offset) as unknown as vscodeTypes.Position;
    return provider.provideCompletionItems(
      asDocument(document),
      position,
      // Neither is read.
      ...([undefined, undefined] as unknown as [
        vscodeTypes.CancellationToken,
        vscodeTypes.CompletionContext,
      ]),
    );
  };

  it("offers the workspace's configurations for the config of a task, and nothing elsewhere", async () => {
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
