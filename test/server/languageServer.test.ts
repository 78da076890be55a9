import { PassThrough } from "node:stream";
import { afterEach, expect, it } from "vitest";
import {
  type CodeAction,
  type CompletionItem,
  createConnection,
  createProtocolConnection,
  type Diagnostic,
  ProposedFeatures,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { serveLanguage } from "../../src/server/languageServer.ts";

const URI = "file:///work/project/tinker-config.yaml";
const open: ProtocolConnection[] = [];

afterEach(() => {
  for (const editor of open.splice(0)) editor.dispose();
});

/** An editor that has opened `text`, with what it was sent. */
async function editorWith(text: string, { uri = URI, snippetSupport = true } = {}) {
  const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
  serveLanguage(createConnection(ProposedFeatures.all, toServer, toEditor), "1.0.0");
  const editor = createProtocolConnection(
    new StreamMessageReader(toEditor),
    new StreamMessageWriter(toServer),
  );
  open.push(editor);
  const marked = new Promise<readonly Diagnostic[]>((resolve) => {
    editor.onNotification("textDocument/publishDiagnostics", ({ diagnostics }) =>
      resolve(diagnostics),
    );
  });
  editor.listen();
  const completion = { completionItem: { snippetSupport } };
  await editor.sendRequest("initialize", {
    processId: null,
    rootUri: null,
    capabilities: { textDocument: { completion } },
  });
  await editor.sendNotification("initialized", {});
  await editor.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "yaml", version: 1, text },
  });
  return {
    marked,
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

it("completes keys, with snippets only where the editor knows them", async () => {
  const at = { position: { line: 1, character: 9 } };
  const inserted = async (snippetSupport: boolean) => {
    const { ask } = await editorWith("environments:\n  local/c", { snippetSupport });
    const items = await ask<CompletionItem[]>("textDocument/completion", at);
    return items.find(({ label }) => label === "local/calculator")?.textEdit?.newText;
  };
  expect(await inserted(true)).toMatch(/^local\/calculator:\n.*\$/s);
  expect(await inserted(false)).toMatch(/^local\/calculator:\n[^$]*$/);
});

it("explains the key under the pointer and links what a name stands for", async () => {
  const { ask } = await editorWith(`${SOUND}log_path: ../runs\n`);
  const hover = await ask<{ contents: { value: string } }>("textDocument/hover", {
    position: { line: 1, character: 2 },
  });
  expect(hover.contents.value).toContain("batch_size");
  const links = await ask<{ target: string }[]>("textDocument/documentLink", {});
  expect(links.map(({ target }) => target)).toContain("file:///work/runs");
});

it("leaves other files alone", async () => {
  const { ask } = await editorWith("a: 1\n", { uri: "file:///work/other.yaml" });
  const at = { position: { line: 0, character: 0 } };
  expect(await ask("textDocument/hover", at)).toBeNull();
  expect(await ask("textDocument/completion", at)).toEqual([]);
});
