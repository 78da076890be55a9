import { beforeEach, expect, it, vi } from "vitest";
import type { FiringAlarm } from "../../../src/core/alarms/alarmEvents.ts";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { AlarmDiagnostics } from "../../../src/host/runs/alarmDiagnostics.ts";
import type { RunAlarms } from "../../../src/host/runs/runAlarms.ts";
import type { RunList } from "../../../src/host/runs/runList.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { aRun, aRunList } from "../runEntries.ts";

const CONFIG = "/project/tinker-config.yaml";

/** Messages of the diagnostics by path. */
const shown = vi.hoisted(() => new Map<string, readonly string[]>());
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  const { Disposable } = fakeVscode;
  const place = (fsPath: string) => ({ fsPath, path: fsPath });
  return {
    ...fakeVscode,
    CodeActionKind: { QuickFix: "quickfix" },
    Diagnostic: class {
      readonly message: string;
      constructor(_range: unknown, message: string) {
        this.message = message;
      }
    },
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 },
    Range: class {},
    Uri: { file: place },
    languages: {
      createDiagnosticCollection: () => ({
        set: ({ fsPath }: { readonly fsPath: string }, all: readonly { message: string }[]) =>
          shown.set(
            fsPath,
            all.map(({ message }) => message),
          ),
        delete: ({ fsPath }: { readonly fsPath: string }) => shown.delete(fsPath),
        dispose: () => shown.clear(),
      }),
      registerCodeActionsProvider: () => new Disposable(() => undefined),
    },
    workspace: {
      ...fakeVscode.workspace,
      getWorkspaceFolder: () => ({}),
      onDidChangeTextDocument: () => new Disposable(() => undefined),
      openTextDocument: async (uri: { readonly fsPath: string }) => ({
        uri,
        fileName: uri.fsPath,
        getText: () => "batch_size: 2\n",
        positionAt: (offset: number) => offset,
      }),
    },
  };
});

beforeEach(() => shown.clear());

it("an evaluation does not hide the alarms of a training of its configuration", async () => {
  const file = aRunFile({ configPath: CONFIG });
  const evaluation = { digest: "d", models: [] };
  const evaluated = aRun({ folder: "/runs/eval", file: { ...file, evaluation } });
  const training = aRun({ folder: "/runs/live", file });
  const alarm: FiringAlarm = {
    id: "equal_rewards",
    severity: "warning",
    seen: "All groups had equal rewards.",
    meaning: "Nothing is learned.",
    edits: [],
    step: 3,
  };
  const changed = new Emitter<string>();
  const alarms: Pick<RunAlarms, "of" | "onDidChange"> = {
    of: (folder) => (folder === training.folder ? [alarm] : []),
    onDidChange: changed.event,
  };
  const errors: unknown[] = [];
  const diagnostics = new AlarmDiagnostics({
    store: aRunList([evaluated, training]) as unknown as RunList,
    alarms: alarms as RunAlarms,
    onError: (error) => errors.push(error),
  });
  changed.fire(training.folder);
  await vi.waitFor(() => expect([...shown.keys(), ...errors]).toEqual([CONFIG]));
  expect(shown.get(CONFIG)).toEqual([expect.stringContaining("All groups had equal rewards.")]);
  diagnostics.dispose();
});
