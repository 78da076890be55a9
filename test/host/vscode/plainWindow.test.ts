import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { removeCheckpoint } from "../../../src/host/commands/changeCheckpoint.ts";
import { keyUi } from "../../../src/host/keys/keyUi.ts";
import { askForSlot } from "../../../src/host/runs/slotQuestion.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const shown = vi.hoisted((): unknown[] => []);
vi.mock("vscode", () => {
  const show = async (...texts: readonly unknown[]) => {
    shown.push(...texts);
    return texts.at(-1);
  };
  return {
    ProgressLocation: { Notification: 15, Window: 10 },
    QuickPickItemKind: { Separator: -1 },
    InputBoxValidationSeverity: { Error: 3, Info: 1 },
    ThemeIcon: class {
      readonly id: string;
      constructor(id: string) {
        this.id = id;
      }
    },
    l10n: {
      t: (text: string, ...args: readonly unknown[]) =>
        text.replace(/\{(\d)\}/g, (_, index) => String(args[Number(index)])),
    },
    window: {
      showInformationMessage: show,
      showWarningMessage: show,
      setStatusBarMessage: show,
      showQuickPick: async (items: readonly unknown[], options: { canPickMany?: boolean }) => {
        shown.push(...items, options);
        return options.canPickMany === true ? items : items[0];
      },
      createQuickPick: () => {
        let onHide = () => undefined as unknown;
        const list = {
          title: "",
          placeholder: "",
          items: [] as readonly unknown[],
          onDidChangeValue: () => undefined,
          onDidAccept: () => undefined,
          onDidHide: (listener: () => unknown) => {
            onHide = listener;
          },
          show: () => {
            shown.push(list.title, list.placeholder, ...list.items);
            onHide();
          },
          dispose: () => undefined,
        };
        return list;
      },
      showInputBox: async (options: { validateInput?: (value: string) => unknown }) => {
        shown.push(options, options.validateInput?.("x"));
      },
      withProgress: (options: unknown, work: () => Promise<unknown>) => {
        shown.push(options);
        return work();
      },
    },
  };
});

const HOSTILE = "a [link](command:workbench.action.quit) $(flame) \u202Eb";

/** All texts passed to the editor. */
function texts(): readonly string[] {
  const found: string[] = [];
  JSON.stringify(shown, (key, value: unknown) => {
    // The row's value is not shown.
    if (key === "row") return undefined;
    if (typeof value === "string") found.push(value);
    return value;
  });
  return found;
}

beforeEach(() => {
  shown.splice(0);
});

describe("untrusted text never becomes a link or an icon", () => {
  it("in the progress title while a checkpoint is deleted", async () => {
    const fileSystem = createMemoryFileSystem();
    await fileSystem.writeAtomic(
      "/runs/demo/config.resolved.json",
      JSON.stringify({ model_name: "local/tiny-tool" }),
    );
    // Only the members that are read.
    const run = { name: HOSTILE, folder: "/runs/demo", isLive: false } as RunEntry;
    const entry = {
      name: HOSTILE,
      step: 1,
      state_path: "tinker://r/weights/a",
      sampler_path: null,
    };
    await removeCheckpoint(run, entry as CheckpointEntry, {
      fileSystem,
      append: async () => undefined,
      change: async () => undefined,
      now: () => 0,
      isOwn: async () => true,
    });
    expect(texts().filter((text) => text.includes("[link]")).length).toBeGreaterThan(1);
    expectPlain();
  });

  it("in prompts about keys", async () => {
    const rows = [{ value: 1, label: HOSTILE, description: HOSTILE, detail: HOSTILE }];
    await keyUi.notify(HOSTILE, ["Yes"]);
    await keyUi.confirm(HOSTILE, HOSTILE, "Send");
    keyUi.showMessage(HOSTILE);
    await keyUi.busy(HOSTILE, async () => undefined);
    await keyUi.pick({ title: HOSTILE, placeholder: HOSTILE, rows });
    await keyUi.pickMany({ title: HOSTILE, placeholder: HOSTILE, rows });
    await keyUi.input({
      title: HOSTILE,
      prompt: HOSTILE,
      isSecret: false,
      check: () => ({ text: HOSTILE, isRefusal: true }),
    });
    expect(texts().length).toBeGreaterThan(12);
    expectPlain();
  });

  it("in a list, which keeps its own icons", async () => {
    expect(await askForSlot(HOSTILE, [HOSTILE])).toBe("queue");
    expect(shown[0]).toMatchObject({ label: "Queue", iconPath: { id: "watch" } });
    expectPlain();
  });

  function expectPlain(): void {
    for (const text of texts()) {
      expect(text).not.toMatch(/\]\(|\$\(/);
      expect(text).not.toContain("\u202E");
    }
  }
});

describe("sources other than plainWindow.ts", () => {
  const files = readdirSync("src/host", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && path !== join("vscode", "plainWindow.ts"))
    .map((path) => join("src/host", path));

  it.each([
    [
      "shows messages directly",
      /\bwindow\s*\.\s*(show\w*Message|withProgress|setStatusBarMessage)\b/,
    ],
    ["shows prompts directly", /\bwindow\s*\.\s*(show|create)(QuickPick|InputBox)\b/],
    ["aliases or indexes the window", /=\s*vscode(\.window)?\s*;|vscode\.window\[/],
    ["imports single members of VS Code", /import (?!type\b)(?!\* as vscode )[^;]* from "vscode"/],
    ["trusts Markdown", /\.(isTrusted|supportHtml)\s*=[^=]/],
  ])("no file %s", (_, pattern) => {
    expect(files.length).toBeGreaterThan(80);
    const found = ["src/extension.ts", ...files].filter((file) =>
      pattern.test(readFileSync(file, "utf8")),
    );
    expect(found).toEqual([]);
  });
});
