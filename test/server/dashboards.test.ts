import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import {
  DASHBOARD_COMMAND,
  DASHBOARD_REQUESTS,
  DASHBOARD_TELL,
  type DashboardNews,
  type DashboardOrder,
  type DashboardReport,
  type OpenDashboardRequest,
  type WindowRun,
} from "../../src/api/dashboard.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { runIdOf } from "../../src/server/runs/runId.ts";
import type { HostMessage, PageMessage } from "../../src/shared/dashboardMessages.ts";
import { anEditor } from "./anEditor.ts";
import { writeHardRun } from "./dashboard/writtenRun.ts";

const SETTINGS = {
  smoothing: 0.6,
  hasSingleKeys: true,
  hasLiveRegion: true,
  pinnedMetrics: [],
  savedFilters: [],
};

describe("a dashboard that the server holds", () => {
  let parent = "";
  let folder = "";
  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "tinker-rl-dashboards-"));
    const fileSystem = createFileSystem();
    ({ folder } = await writeHardRun(fileSystem, parent, { rollouts: 8 }));
    await fileSystem.close();
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  const aRun = (changes: Partial<WindowRun> = {}): WindowRun => ({
    folder,
    name: "hard",
    state: "running",
    evaluated: null,
    isReadOnly: false,
    ...changes,
  });

  function open(changes: Partial<OpenDashboardRequest> = {}) {
    const editor = anEditor();
    const orders: DashboardOrder[] = [];
    editor.editor.onRequest(DASHBOARD_COMMAND, (order: DashboardOrder) => {
      orders.push(order);
      if (order.command === "stop") throw new Error("This run cannot be stopped.");
      return null;
    });
    const reports = editor.reports<DashboardReport>("dashboard-1");
    const closing = new CancellationTokenSource();
    onTestFinished(() => closing.cancel());
    const request: OpenDashboardRequest = {
      progressToken: "dashboard-1",
      folder,
      isVisible: true,
      runs: [aRun()],
      settings: SETTINGS,
      workspaceFolders: [parent],
      ...changes,
    };
    const over = editor.ask<RequestOutcome<null>>(DASHBOARD_REQUESTS.open, request, closing.token);
    const tell = (what: DashboardNews) =>
      editor.notify(DASHBOARD_TELL, { dashboard: "dashboard-1", what });
    const posted = (): readonly HostMessage[] =>
      reports.flatMap((report) => (report.kind === "post" ? [JSON.parse(report.json)] : []));
    return {
      orders,
      reports,
      over,
      tell,
      say: (message: PageMessage) => tell({ kind: "message", message }),
      close: () => closing.cancel(),
      /** The newest message of a kind, once there is one. */
      see: <Kind extends HostMessage["kind"]>(kind: Kind) =>
        vi.waitFor(() => {
          const found = posted().findLast((message) => message.kind === kind);
          if (found === undefined) throw new Error(`no ${kind} is there yet`);
          return found as Extract<HostMessage, { readonly kind: Kind }>; // of that kind
        }),
    };
  }

  async function opened(changes: Partial<OpenDashboardRequest> = {}) {
    const dashboard = open(changes);
    await vi.waitFor(() => expect(dashboard.reports[0]).toEqual({ kind: "opened" }));
    await dashboard.say({ kind: "ready" });
    return { ...dashboard, init: await dashboard.see("init") };
  }

  it("shows the run of the window to its page, with paths from the workspace and no absolute one", async () => {
    const { init, reports, close, over } = await opened();
    expect(init.facts.run).toMatchObject({ id: runIdOf(folder), name: "hard" });
    expect(reports).toContainEqual({ kind: "shown", folder });
    expect(JSON.stringify(init)).not.toContain(parent);
    close();
    expect(await over).toEqual({ ok: true, value: null });
  });

  it("has the window do what only that can, and shows what came of it in the page", async () => {
    const { say, see, orders, init } = await opened();
    await say({ kind: "command", command: "stop", args: {} });
    expect((await see("error")).message).toContain("This run cannot be stopped.");
    const [checkpoint] = init.facts.checkpoints;
    const args = { name: checkpoint?.name ?? "", which: "state" } as const;
    await say({ kind: "command", command: "copyCheckpointPath", args });
    await vi.waitFor(() => expect(orders.at(-1)?.command).toBe("copyText"));
    expect(orders.at(-1)?.args).toEqual({ text: checkpoint?.statePath });
  });

  it("goes to other runs that the window knows, and to no others", async () => {
    const { say, see, tell } = await opened();
    await say({ kind: "select-run", id: runIdOf("/elsewhere") });
    expect((await see("error")).message).toContain("no longer exists");
    await tell({ kind: "offer", folder: "/another" });
    expect((await see("offer-run")).run).toBe(runIdOf("/another"));
  });

  it("gives the window what the person named, to keep it", async () => {
    const { say, reports } = await opened();
    await say({ kind: "pin-metrics", names: ["loss"] });
    await vi.waitFor(() =>
      expect(reports).toContainEqual({ kind: "keep", pinnedMetrics: ["loss"] }),
    );
  });
});
