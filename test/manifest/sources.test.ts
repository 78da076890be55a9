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
  it("register commands in one place, where a command without a row in the table does not compile", () => {
    const others = sources.filter(
      ({ path, text }) =>
        text.includes("registerCommand(") && path !== join(HOST, "vscode", "registerCommands.ts"),
    );
    // Names of internal commands begin with an underscore: VS Code does not list them.
    expect(others.filter(({ text }) => !/"_tinkerRL\.|MOVE_SECRET/.test(text))).toEqual([]);
  });

  it("call only existing commands of ours", () => {
    const calls = /(?:executeCommand\(|command: )"tinkerRL\.(\w+)"/g;
    const called = sources.flatMap(({ text }) => [...text.matchAll(calls)].map(([, id]) => id));
    expect(called.filter((id) => id === undefined || !COMMANDS.has(id))).toEqual([]);
  });

  it("read settings in one place, where an undeclared setting does not compile", () => {
    const reading = /getConfiguration\(("tinkerRL[^)]*)?\)\s*\.(get|has|inspect)\b/;
    const readers = sources.filter(({ text }) => reading.test(text)).map(({ path }) => path);
    expect(readers).toEqual([join(HOST, "vscode", "settings.ts")]);
  });

  it("set context keys in one place, where an unknown one does not compile", () => {
    expect(filesWith('"setContext"')).toEqual([join(HOST, "vscode", "contextKeys.ts")]);
  });

  it("read every declared setting", () => {
    const offered = SETTING_SECTIONS.flatMap(({ settings }) => Object.keys(settings));
    const unread = offered.filter(
      (key) =>
        filesWith(`"${key}"`).filter((path) => path !== join(HOST, "manifest", "settingsTable.ts"))
          .length === 0,
    );
    expect(unread).toEqual([]);
  });
});
