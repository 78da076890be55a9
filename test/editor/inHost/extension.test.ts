import * as assert from "node:assert/strict";
import { homedir } from "node:os";
import { before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { TinkerRlApi } from "../../../src/extension.ts";
import { readFramed } from "../../server/tools/framed.ts";

const EXTENSION = "tinker-rl.tinker-rl";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly languageModelTools: readonly { readonly name: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
  };
}

function installed(): vscode.Extension<TinkerRlApi> {
  const extension = vscode.extensions.getExtension<TinkerRlApi>(EXTENSION);
  assert.ok(extension, `${EXTENSION} is installed`);
  return extension;
}

function manifest(): Manifest {
  return installed().packageJSON;
}

describe("the extension in its host", () => {
  before(async () => {
    await installed().activate();
  });

  it("registers exactly the commands that it declares", async () => {
    const declared = manifest().contributes.commands.map(({ command }) => command);
    const all = await vscode.commands.getCommands(true);
    // VS Code adds commands for views and their container, such as tinkerRL.runs.focus.
    const ours = all.filter((id) => /^tinkerRL\.\w+$/.test(id));
    assert.deepEqual(ours.sort(), declared.sort());
  });

  it("includes versions and the log in an issue report, but no paths of the user's files", async () => {
    await vscode.commands.executeCommand("tinkerRL.reportIssue");
    const text = vscode.window.activeTextEditor?.document.getText() ?? "";
    assert.match(text, new RegExp(`Tinker RL ${installed().packageJSON.version}`));
    assert.match(text, /ready after/);
    assert.ok(!text.includes(homedir()));
  });

  it("offers read-only tools to language models", async () => {
    const declared = manifest().contributes.languageModelTools.map(({ name }) => name);
    const offered = vscode.lm.tools.map(({ name }) => name);
    assert.deepEqual(
      declared.filter((name) => !offered.includes(name)),
      [],
    );
    const { content } = await vscode.lm.invokeTool("tinkerRL_listRuns", {
      input: {},
      toolInvocationToken: undefined,
    });
    const [part] = content;
    assert.ok(part instanceof vscode.LanguageModelTextPart);
    assert.ok(Array.isArray(readFramed(part.value).runs));
  });

  it("has a text for every title", () => {
    const titles = manifest().contributes.commands.map(({ title }) => title);
    assert.deepEqual(
      titles.filter((title) => title.startsWith("%")),
      [],
    );
  });

  it("has a default for every setting that it declares", () => {
    const keys = manifest().contributes.configuration.flatMap(({ properties }) =>
      Object.keys(properties),
    );
    const settings = vscode.workspace.getConfiguration();
    assert.deepEqual(
      keys.filter((key) => settings.inspect(key)?.defaultValue === undefined),
      [],
    );
  });
});
