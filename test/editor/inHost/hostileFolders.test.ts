import * as assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { TinkerRlApi } from "../../../src/extension.ts";
import { BlockMeter, type Load } from "../../resilience/hostile/blockMeter.ts";
import { PLANTED, snapshot } from "../../resilience/hostile/home.ts";
import type { HostileCase, HostileFolders } from "../hostileFolders.ts";

const MAX_BLOCK_MS = 250;
const MAX_HEAP_MB = 300;
/** A busy machine can be slow. */
const MAX_TRIES = 3;
/** A page that loads for the first time. */
const PAGE_LIMIT_MS = 30_000;
/** The time for page and views to draw what was opened. */
const DRAWN_MS = 400;
/** VS Code itself passes no larger documents to extensions. */
const MAX_DOCUMENT_BYTES = 20_000_000;

const planFile = process.env["TEST_HOSTILE_FOLDERS"];
const config = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", "tinker-config.yaml");

/** `npm run test:editor` writes the folders; without them the suite is skipped. */
(planFile === undefined ? describe.skip : describe)("hostile folders", function () {
  this.timeout(60_000);
  const plan: HostileFolders =
    planFile === undefined
      ? { home: "", sound: "", cases: [] }
      : JSON.parse(readFileSync(planFile, "utf8")); // written by this same build
  const meter = new BlockMeter();
  let untouched: readonly string[] = [];
  let app: Awaited<ReturnType<TinkerRlApi["app"]>> | undefined;

  before(async () => {
    untouched = snapshot(plan.home);
    const extension = vscode.extensions.getExtension<TinkerRlApi>("tinker-rl.tinker-rl");
    app = await (await extension?.activate())?.app();
    await vscode.commands.executeCommand("tinkerRL.trajectories.focus");
    await vscode.window.showTextDocument(vscode.Uri.file(config), { preview: false });
    // Its page must be open before anything is measured.
    await openRun(plan.sound);
    assert.ok(await isShown(plan.sound), "The dashboard shows no sound run.");
  });

  after(() => meter.stop());

  for (const one of plan.cases) {
    it(`${one.kind} (${one.what.slice(0, 60)})`, async () => {
      const { blockMs, heapMb } = await leastLoad(async () => {
        await openRun(plan.sound);
        await sleep(DRAWN_MS);
        meter.take();
        await (one.of === "run" ? openRun(one.folder) : openConfigs(one));
        await sleep(DRAWN_MS);
        return meter.take();
      });
      assert.ok(blockMs <= MAX_BLOCK_MS, `The extension host stood still for ${blockMs} ms.`);
      assert.ok(heapMb <= MAX_HEAP_MB, `The extension host's heap grew to ${heapMb} MB.`);
    });
  }

  it("leave everything outside the workspace unchanged", () => {
    assert.deepEqual(snapshot(plan.home), untouched);
  });

  it("leave the extension working: a valid run is listed and shown", async () => {
    await vscode.commands.executeCommand("tinkerRL.refreshRuns");
    assert.equal(app?.runs.get(plan.sound)?.phase, "done");
    await openRun(plan.sound);
    assert.match(shownText(), /"taskKey"/);
    assert.ok(await isShown(plan.sound));
  });

  /** True once the dashboard, which opens automatically, has received the run. */
  async function isShown(folder: string): Promise<boolean> {
    await vscode.commands.executeCommand("tinkerRL.openDashboard", { folder });
    const name = app?.runs.get(folder)?.name;
    for (const end = Date.now() + PAGE_LIMIT_MS; Date.now() < end; await sleep(20)) {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      const panel = tabs.find(({ input }) => input instanceof vscode.TabInputWebview);
      if (panel?.isActive === true && panel.label === name) return true;
    }
    return false;
  }
});

async function leastLoad(open: () => Promise<Load>): Promise<Load> {
  let least = await open();
  for (let left = MAX_TRIES - 1; left > 0 && least.blockMs > MAX_BLOCK_MS; left -= 1) {
    const load = await open();
    if (load.blockMs < least.blockMs) least = load;
  }
  return least;
}

/** Opens a run as a user does: the dashboard, which the views follow, plus the log and a rollout. */
async function openRun(folder: string): Promise<void> {
  await vscode.commands.executeCommand("tinkerRL.openDashboard", { folder });
  // Only once the dashboard has focus: otherwise it would take focus back, and the documents would open over it.
  for (const end = Date.now() + PAGE_LIMIT_MS; !isPanelActive() && Date.now() < end; )
    await sleep(10);
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument(config),
    vscode.ViewColumn.One,
  );
  await vscode.commands.executeCommand("tinkerRL.openRunLog", { folder });
  requireNothingPlanted();
  const rollout = { folder, source: "training", step: 0, group: 0, rollout: 0 };
  await vscode.commands.executeCommand("tinkerRL.openRolloutJson", rollout);
  requireNothingPlanted();
}

/** All requests of the editor about the configurations of a folder that can be opened. */
async function openConfigs({ folder }: HostileCase): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith("tinker-config.")) continue;
    const document = await openedDocument(path);
    if (document === null) continue;
    await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
    const middle = document.positionAt(Math.floor(document.getText().length / 2));
    const { uri } = document;
    const range = new vscode.Range(middle, middle);
    await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", uri, middle);
    await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, middle);
    await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, range);
    await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri);
    await vscode.commands.executeCommand("vscode.executeLinkProvider", uri);
    for (const { message } of vscode.languages.getDiagnostics(uri)) {
      assert.ok(!message.includes(PLANTED), message);
    }
  }
}

/** Null for files that the editor itself does not open: special, too large, or binary. */
async function openedDocument(path: string): Promise<vscode.TextDocument | null> {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isFile() !== true || info.size > MAX_DOCUMENT_BYTES) return null;
  try {
    return await vscode.workspace.openTextDocument(path);
  } catch (error) {
    if (String(error).includes("seems to be binary")) return null;
    throw error;
  }
}

function isPanelActive(): boolean {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview;
}

function requireNothingPlanted(): void {
  assert.ok(!shownText().includes(PLANTED), "A document shows the content of a file outside.");
}

function shownText(): string {
  return vscode.window.activeTextEditor?.document.getText() ?? "";
}
