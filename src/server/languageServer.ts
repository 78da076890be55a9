/**
 * Language features for configurations, for any editor with the Language Server Protocol
 * (https://microsoft.github.io/language-server-protocol).
 */

import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CodeActionKind,
  CodeLensRefreshRequest,
  type Command,
  type Connection,
  type Diagnostic,
  type DocumentLink,
  InlayHintRefreshRequest,
  MarkupKind,
  ResponseError,
  type ServerCapabilities,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type CheckCounts, CONFIG_REQUESTS, CONTEXT_CHANGED, MOVE_SECRET } from "../api/config.ts";
import {
  documentRequest,
  editorHandshake,
  insertEnvironmentRequest,
  insertSourceRequest,
  secretAtRequest,
} from "../api/configSchemas.ts";
import { type CheckedText, checkText } from "../core/config/check.ts";
import { complete } from "../core/config/editing/completion/complete.ts";
import type { FactsOf } from "../core/config/editing/diagnostics/dataSources.ts";
import { type Diagnosis, diagnoseChecked } from "../core/config/editing/diagnostics/diagnose.ts";
import { effectiveConfig } from "../core/config/editing/display/effective.ts";
import { hover } from "../core/config/editing/display/hover.ts";
import { inlayHints } from "../core/config/editing/display/inlayHints.ts";
import { lenses } from "../core/config/editing/display/lenses.ts";
import { type LinkTarget, links } from "../core/config/editing/display/links.ts";
import { insertEnvironment } from "../core/config/editing/edits/insertEnvironment.ts";
import { insertSource } from "../core/config/editing/edits/insertSource.ts";
import { secretAt } from "../core/config/editing/edits/secretAt.ts";
import { type Fix, fixAll, fixesAt } from "../core/config/editing/fixes/fixes.ts";
import { configForDataset } from "../local/environment/dataset/datasetHead.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { soon } from "../node/soon.ts";
import type { WindowCatalogue } from "./catalogue.ts";
import { DataSources } from "./dataSources.ts";
import { EditorContext, type OpenConfig, pathOf } from "./editorContext.ts";
import {
  asAction,
  asDiagnostic,
  asEdits,
  asHint,
  asItem,
  asLens,
  rangeOf,
} from "./protocolTypes.ts";
import { newestRun } from "./runs/configRun.ts";
import type { RunStore } from "./runs/runStore.ts";

/** Debounce for diagnostics while the user types. */
const SETTLE_MS = 150;
/** Minimum time between refreshes of run lenses, because runs report changes often. */
const RUNS_MS = 1_000;
const fileSystem = createFileSystem();
const FIX_ALL = `${CodeActionKind.SourceFixAll}.tinkerRL`;
const TRIGGERS = [":", " ", '"', "/", "-", "[", "{", ","];
/** Lens actions that start or control a program. */
const STEERS: ReadonlySet<string> = new Set(["start", "startStage", "estimate", "stop"]);

/** Registers all handlers on `connection`. Needs no services and no keys. */
export function serveLanguage(
  connection: Connection,
  version: string,
  catalogue: WindowCatalogue,
  runs: Pick<RunStore, "runs" | "onDidChange">,
): void {
  const documents = new TextDocuments(TextDocument);
  const timers = new Map<string, NodeJS.Timeout>();
  const sources = new DataSources((error) => connection.console.error(String(error)));
  let editor: EditorContext | null = null;
  let isOwn = false;
  let takesSnippets = false;

  const configAt = async (uri: string): Promise<OpenConfig | null> => {
    const document = documents.get(uri);
    return document === undefined || editor === null ? null : editor.of(document);
  };
  /** @throws ResponseError if the document is not an open configuration */
  const openConfig = async (uri: string): Promise<OpenConfig> => {
    const config = await configAt(uri);
    if (config !== null) return config;
    throw new ResponseError(0, "The document is not an open configuration.");
  };
  const mark = (uri: string, marks: Diagnostic[]): void => {
    // Rejects when the connection has closed; then no one would see them.
    connection.sendDiagnostics({ uri, diagnostics: marks }).catch(() => undefined);
  };
  const check = async (uri: string): Promise<readonly Diagnosis[]> => {
    const config = await configAt(uri);
    if (config === null) {
      mark(uri, []);
      return [];
    }
    const checked = checkText(config.text, config.options);
    const factsOf = factsFor(sources, config, checked);
    const options = factsOf === undefined ? config.options : { ...config.options, factsOf };
    const found = diagnoseChecked(checked, options);
    // The document may have been closed while the editor was answering.
    if (documents.get(uri) === config.document) {
      mark(
        uri,
        found.map((each) => asDiagnostic(config.document, each)),
      );
    }
    return found;
  };
  const checkSoon = (uri: string): void => {
    clearTimeout(timers.get(uri));
    const timer = setTimeout(() => void check(uri).catch(() => undefined), SETTLE_MS);
    timers.set(uri, timer);
  };

  /** Rejects only if the editor has disconnected. */
  const refresh = (shown: typeof CodeLensRefreshRequest.type): Promise<void> =>
    connection.sendRequest(shown).catch(() => undefined);
  const checkAll = async (): Promise<void> => {
    for (const uri of documents.keys()) checkSoon(uri);
    await refresh(CodeLensRefreshRequest.type);
    await refresh(InlayHintRefreshRequest.type);
  };

  connection.onInitialize((params) => {
    const handshake = editorHandshake.safeParse(params.initializationOptions);
    isOwn = handshake.success;
    if (handshake.success && handshake.data.tinkerRlVersion !== version) {
      const text = `The editor has version ${handshake.data.tinkerRlVersion} and its server ${version}. Reload the window.`;
      throw new ResponseError(0, text, { retry: false });
    }
    if (handshake.success) catalogue.open(handshake.data.storageFolder);
    editor = new EditorContext({ connection, client: params, isOwn, catalogue });
    takesSnippets =
      params.capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
    const capabilities: ServerCapabilities = {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: TRIGGERS },
      hoverProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL] },
      documentLinkProvider: {},
    };
    // Lenses and hints use commands that only this extension has.
    if (isOwn) Object.assign(capabilities, { codeLensProvider: {}, inlayHintProvider: true });
    return { serverInfo: { name: "tinker-rl", version }, capabilities };
  });
  documents.onDidChangeContent(({ document: { uri } }) => checkSoon(uri));
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    timers.delete(uri);
    editor?.forget(uri);
    mark(uri, []);
    if (documents.keys().length === 0) sources.rest();
  });
  connection.onNotification(CONTEXT_CHANGED, () => {
    editor?.forget();
    void checkAll();
  });
  runs.onDidChange(soon(RUNS_MS, () => void refresh(CodeLensRefreshRequest.type)));
  catalogue.onDidChange(() => void checkAll());
  sources.onDidChange(() => void checkAll());
  catalogue.onDidChangeMeasures(() => void refresh(InlayHintRefreshRequest.type));

  connection.onCompletion(async ({ textDocument, position }) => {
    const before = await configAt(textDocument.uri);
    if (before === null || editor === null) return null;
    const isIncomplete = !(await editor.update(before, before.document.offsetAt(position)));
    const config = (await configAt(textDocument.uri)) ?? before;
    const { document, text, options } = config;
    const takes = { takesSnippets, suggestsAgain: isOwn };
    const found = complete(text, document.offsetAt(position), options);
    return { isIncomplete, items: found.map((each) => asItem(document, each, takes)) };
  });
  connection.onHover(async ({ textDocument, position }) => {
    const config = await configAt(textDocument.uri);
    if (config === null) return null;
    const { document, text, options } = config;
    const found = hover(text, document.offsetAt(position), options);
    if (found === null) return null;
    const contents = { kind: MarkupKind.Markdown, value: found.markdown };
    return { contents, range: rangeOf(document, found.span) };
  });
  connection.onCodeAction(async ({ textDocument: { uri }, range, context: { only } }) => {
    const config = await configAt(uri);
    if (config === null) return [];
    const { document, text, options } = config;
    if (only?.some((kind) => kind !== "" && FIX_ALL.startsWith(kind))) {
      const edits = fixAll(text, options);
      const edit = { changes: { [uri]: asEdits(document, edits) } };
      return edits.length === 0 ? [] : [{ title: "Fix notation", kind: FIX_ALL, edit }];
    }
    const place = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    return fixesAt(text, place, options)
      .filter(({ command }) => isOwn || command === null)
      .map((fix) => asAction(document, fix, editorCommand(uri, fix)));
  });
  connection.onDocumentLinks(async ({ textDocument: { uri } }): Promise<DocumentLink[]> => {
    const config = await configAt(uri);
    if (config === null) return [];
    const { document, text, options } = config;
    return links(text, options).flatMap(({ span, target }): DocumentLink[] => {
      const range = rangeOf(document, span);
      // This extension handles each kind of link itself.
      if (isOwn) return [{ range, data: target }];
      const address = addressOf(uri, target);
      return address === null ? [] : [{ range, target: address }];
    });
  });
  connection.onCodeLens(async ({ textDocument: { uri } }) => {
    const config = await configAt(uri);
    if (config?.lenses == null) return [];
    const { document, text, options } = config;
    const { canStart } = config.lenses;
    const { status, folder } = newestRun(runs.runs, pathOf(uri));
    const factsOf = factsFor(sources, config, checkText(text, options));
    return lenses(text, { ...options, status, factsOf })
      .filter(({ action }) => canStart || !STEERS.has(action))
      .map((lens) => asLens(document, lens, folder));
  });
  connection.languages.inlayHint.on(async ({ textDocument: { uri }, range }) => {
    const config = await configAt(uri);
    const measured = config?.wantsHints === true ? catalogue.measuredRun(pathOf(uri)) : null;
    if (config === null || measured === null) return [];
    const { document, text, options } = config;
    const { run, folder } = measured;
    const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
    return inlayHints(text, { path: options.path, run })
      .filter(({ offset }) => offset >= start && offset <= end)
      .map((hint) => asHint(document, hint, folder));
  });

  connection.onRequest(CONFIG_REQUESTS.check, async (request: unknown): Promise<CheckCounts> => {
    const { uri } = documentRequest.parse(request);
    await openConfig(uri);
    const found = await check(uri);
    const count = (severity: Diagnosis["severity"]): number =>
      found.filter((each) => each.severity === severity).length;
    return { errors: count("error"), warnings: count("warning") };
  });
  connection.onRequest(CONFIG_REQUESTS.effective, async (request: unknown) => {
    const { text, options } = await openConfig(documentRequest.parse(request).uri);
    return effectiveConfig(text, options);
  });
  connection.onRequest(
    CONFIG_REQUESTS.insertEnvironment,
    async (request: unknown): Promise<object> => {
      const { uri, name, ...given } = insertEnvironmentRequest.parse(request);
      const { text, options } = await openConfig(uri);
      return insertEnvironment(text, name, { path: options.path, ...given });
    },
  );
  connection.onRequest(CONFIG_REQUESTS.insertSource, async (request: unknown) => {
    const { uri, entry } = insertSourceRequest.parse(request);
    const { text, options } = await openConfig(uri);
    return insertSource(text, entry, { path: options.path });
  });
  connection.onRequest(CONFIG_REQUESTS.forDataset, (request: unknown) =>
    configForDataset(fileSystem, pathOf(documentRequest.parse(request).uri)),
  );
  connection.onRequest(CONFIG_REQUESTS.secretAt, async (request: unknown) => {
    const { uri, path } = secretAtRequest.parse(request);
    const { text, options } = await openConfig(uri);
    return secretAt(text, path, { path: options.path });
  });
  documents.listen(connection);
}

/** Undefined if files that the configuration refers to must not be read. */
function factsFor(
  sources: DataSources,
  { document, readsData }: OpenConfig,
  { repaired }: CheckedText,
): FactsOf | undefined {
  if (!readsData || repaired === null || !document.uri.startsWith("file:")) return undefined;
  return (written) => sources.facts(pathOf(document.uri), repaired.config, written);
}

/** The command for a fix that needs more than an edit. It carries the location of a secret, never its text. */
function editorCommand(uri: string, { title, command }: Fix): Command | null {
  switch (command?.name) {
    case undefined:
      return null;
    case "setSecret":
      return { title, command: "tinkerRL.setApiKey", arguments: [command.path[0]] };
    case "openOverrides":
      return {
        title,
        command: "workbench.action.openSettings",
        arguments: ["tinkerRL.overrides"],
      };
    case "secretToStore":
    case "secretToEnvFile":
      return { title, command: MOVE_SECRET, arguments: [uri, command.path, command.name] };
  }
}

/** Null for targets that only this extension can show. */
function addressOf(config: string, target: LinkTarget): string | null {
  if (target.kind === "page") return target.url;
  if (target.kind !== "folder" || !config.startsWith("file:")) return null;
  return pathToFileURL(resolve(dirname(pathOf(config)), target.path)).href;
}
