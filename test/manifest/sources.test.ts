import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/host/manifest/commandTable.ts";
import { SETTING_SECTIONS } from "../../src/host/manifest/settingsTable.ts";
import { sourcesOf } from "./builtManifest.ts";

const HOST = join("src", "host");
const sources = sourcesOf(HOST);

function filesWith(text: string): readonly string[] {
  return sources.filter((source) => source.text.includes(text)).map(({ path }) => path);
}

describe("the sources of the extension", () => {
  it("register commands in one place, where a command without a row does not compile", () => {
    const others = sources.filter(
      ({ path, text }) =>
        text.includes("registerCommand(") && path !== join(HOST, "vscode", "registerCommands.ts"),
    );
    // Commands that only our own code calls begin with a low line: VS Code shows them nowhere.
    expect(others.filter(({ text }) => !/"_tinkerRL\.|MOVE_SECRET/.test(text))).toEqual([]);
  });

  it("call only commands of ours that there are", () => {
    const calls = /(?:executeCommand\(|command: )"tinkerRL\.(\w+)"/g;
    const called = sources.flatMap(({ text }) => [...text.matchAll(calls)].map(([, id]) => id));
    expect(called.filter((id) => id === undefined || !COMMANDS.has(id))).toEqual([]);
  });

  it("read settings in one place, where a setting without a row does not compile", () => {
    const reading = /getConfiguration\(("tinkerRL[^)]*)?\)\s*\.(get|has|inspect)\b/;
    const readers = sources.filter(({ text }) => reading.test(text)).map(({ path }) => path);
    expect(readers).toEqual([join(HOST, "vscode", "settings.ts")]);
  });

  it("set context keys in one place, where an unknown one does not compile", () => {
    expect(filesWith('"setContext"')).toEqual([join(HOST, "vscode", "contextKeys.ts")]);
  });

  it("read every setting that is offered", () => {
    const offered = SETTING_SECTIONS.flatMap(({ settings }) => Object.keys(settings));
    const unread = offered.filter(
      (key) =>
        filesWith(`"${key}"`).filter((path) => path !== join(HOST, "manifest", "settingsTable.ts"))
          .length === 0,
    );
    expect(unread).toEqual([]);
  });
});
