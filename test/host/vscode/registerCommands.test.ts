import { beforeEach, expect, it, vi } from "vitest";
import type { LogOutputChannel } from "vscode";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import {
  type CommandHandlers,
  registerCommands,
} from "../../../src/host/vscode/registerCommands.ts";

const editor = vi.hoisted(() => ({
  commands: new Map<string, () => unknown>(),
  shown: [] as string[],
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  commands: {
    registerCommand: (name: string, handler: () => unknown) => editor.commands.set(name, handler),
  },
  window: { showErrorMessage: (text: string) => editor.shown.push(text) },
}));

beforeEach(() => {
  editor.commands.clear();
  editor.shown.length = 0;
});

it("a failing command is logged and shown without secrets that it read, even if the log does not redact", async () => {
  const logged: string[] = [];
  const redactor = new Redactor();
  const handlers = {
    showLog: () => {
      redactor.learn("tml-0123456789");
      throw new Error("the key tml-0123456789 was refused");
    },
  };
  // Only one handler is called, and the log is write-only.
  registerCommands(handlers as unknown as CommandHandlers, {
    log: { error: (text: string) => logged.push(text) } as unknown as LogOutputChannel,
    redactor,
  });
  await editor.commands.get("tinkerRL.showLog")?.();
  expect(logged).toEqual(["showLog: the key *** was refused"]);
  expect(editor.shown).toEqual(["the key *** was refused"]);
});
