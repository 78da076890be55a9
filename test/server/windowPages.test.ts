import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import {
  type OpenPageRequest,
  PAGE_NEWS,
  PAGE_ORDER,
  PAGE_REQUESTS,
  type PageNews,
  type PageOrder,
  type PageReport,
} from "../../src/api/pages.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { RUN_REQUESTS, type RunPlaces } from "../../src/api/runs.ts";
import { runIdOf } from "../../src/server/runs/runId.ts";
import type { HostMessage, PageMessage } from "../../src/shared/dashboardMessages.ts";
import type { RunsHostMessage, RunsPageMessage } from "../../src/shared/runsPage.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import { anEditor } from "./anEditor.ts";
import { PAGE_SETTINGS } from "./dashboard/pageSettings.ts";
import { writeHardRun } from "./dashboard/writtenRun.ts";

const parent = folderOfAllTests();
const fileSystem = filesOnDisk();
let folder = "";
beforeAll(async () => {
  ({ folder } = await writeHardRun(fileSystem, parent, { rollouts: 8 }));
});

function open<Message extends HostMessage | RunsHostMessage>(
  changes: Partial<OpenPageRequest> & Pick<OpenPageRequest, "page">,
  given: Partial<RunPlaces> = {},
) {
  const editor = anEditor();
  const orders: PageOrder[] = [];
  editor.editor.onRequest(PAGE_ORDER, (order: PageOrder) => {
    orders.push(order);
    if (order.kind === "command" && order.command === "stop")
      throw new Error("This run cannot be stopped.");
    return order.kind === "ask" ? "good" : null;
  });
  const reports = editor.reports<PageReport>("page-1");
  const closing = new CancellationTokenSource();
  onTestFinished(() => closing.cancel());
  const request: OpenPageRequest = {
    progressToken: "page-1",
    isVisible: true,
    settings: { ...PAGE_SETTINGS, layout: null },
    workspaceFolders: [parent],
    cachePath: null,
    ...changes,
  };
  const places: RunPlaces = { parents: [parent], opened: [], names: {}, archived: [], ...given };
  const look = (changes: Partial<RunPlaces> = {}) =>
    editor.ask(RUN_REQUESTS.look, { places: { ...places, ...changes } });
  void look();
  const over = editor.ask<RequestOutcome<null>>(PAGE_REQUESTS.open, request, closing.token);
  const send = (what: PageNews) => editor.notify(PAGE_NEWS, { page: "page-1", what });
  const posted = (): readonly Message[] =>
    reports.flatMap((report) => (report.kind === "post" ? [JSON.parse(report.json)] : []));
  return {
    clock: editor.clock,
    look,
    orders,
    reports,
    over,
    send,
    say: (message: PageMessage | RunsPageMessage) => send({ kind: "message", message }),
    close: () => closing.cancel(),
    posted,
    /** The newest message of a kind, once there is one. */
    see: <Kind extends Message["kind"]>(kind: Kind) =>
      vi.waitFor(() => {
        const found = posted().findLast((message) => message.kind === kind);
        if (found === undefined) throw new Error(`no ${kind} is there yet`);
        return found as Extract<Message, { readonly kind: Kind }>; // of that kind
      }),
  };
}

describe("a dashboard held by the server", () => {
  async function opened() {
    const dashboard = open<HostMessage>({ page: { kind: "dashboard", folder } });
    await vi.waitFor(() => expect(dashboard.reports[0]).toEqual({ kind: "opened" }));
    await dashboard.say({ kind: "ready" });
    return { ...dashboard, init: await dashboard.see("init") };
  }

  it("shows the window's run to its page, with paths relative to the workspace and no absolute ones", async () => {
    const { init, reports, close, over } = await opened();
    expect(init.facts.run).toMatchObject({ id: runIdOf(folder), name: "hard" });
    expect(reports).toContainEqual({ kind: "shown", folder });
    expect(JSON.stringify(init)).not.toContain(parent);
    close();
    expect(await over).toEqual({ ok: true, value: null });
  });

  it("delegates actions to the window, and shows their results in the page", async () => {
    const { say, see, orders, init } = await opened();
    await say({ kind: "command", command: "stop", args: {} });
    expect((await see("error")).message).toContain("This run cannot be stopped.");
    const [checkpoint] = init.facts.checkpoints;
    const args = { name: checkpoint?.name ?? "", which: "state" } as const;
    await say({ kind: "command", command: "copyCheckpointPath", args });
    await vi.waitFor(() =>
      expect(orders.at(-1)).toMatchObject({
        kind: "command",
        command: "copyText",
        folder,
        args: { text: checkpoint?.statePath },
      }),
    );
  });

  it("switches only to other runs that the window knows", async () => {
    const { say, see, send } = await opened();
    await say({ kind: "select-run", id: runIdOf("/elsewhere") });
    expect((await see("error")).message).toContain("no longer exists");
    await send({ kind: "offer", folder: "/another" });
    expect((await see("offer-run")).run).toBe(runIdOf("/another"));
  });

  it("sends the window the name that the person gave, to store it", async () => {
    const { say, reports } = await opened();
    const charts = { pinnedMetrics: ["loss"], hiddenCharts: ["optim/entropy"] };
    await say({ kind: "keep", change: charts });
    await vi.waitFor(() => expect(reports).toContainEqual({ kind: "keep", change: charts }));
  });
});

describe("a runs table held by the server", () => {
  async function opened(given: Partial<RunPlaces> = {}) {
    const table = open<RunsHostMessage>({ page: { kind: "runs" } }, given);
    await vi.waitFor(() => expect(table.reports[0]).toEqual({ kind: "opened" }));
    await table.say({ kind: "ready" });
    return { ...table, rows: await table.see("rows") };
  }

  it("has a row for each run of the window that is not archived, with its custom name", async () => {
    const other = await writeHardRun(fileSystem, join(parent, "others"), { rollouts: 2 });
    const places = { opened: [other.folder], archived: [other.folder] };
    const { rows, look, posted, clock } = await opened(places);
    expect(rows.rows.map(({ id }) => id)).toEqual([runIdOf(folder)]);
    await look({ ...places, names: { [folder]: "renamed" } });
    await vi.waitFor(async () => {
      await clock.advance(500);
      const all = posted().flatMap((each) => (each.kind === "rows" ? each.rows : []));
      expect(all.map(({ name }) => name)).toContain("renamed");
      expect(all.map(({ id }) => id)).not.toContain(runIdOf(other.folder));
    });
  });

  it("delegates dashboards, comparisons and prompts for marks to the window, and stores the answer", async () => {
    const { say, orders, posted } = await opened();
    const id = runIdOf(folder);
    await say({ kind: "open", id });
    await say({ kind: "diff", left: id, right: id });
    await say({ kind: "edit", id, what: "tags" });
    await vi.waitFor(() =>
      expect(orders).toEqual([
        { kind: "open-run", folder },
        { kind: "diff", left: folder, right: folder },
        { kind: "ask", what: "tags", name: "hard", value: "" },
      ]),
    );
    await vi.waitFor(() => {
      const last = posted().findLast((each) => each.kind === "rows");
      expect(last?.kind === "rows" ? last.rows[0]?.mark.tags : null).toEqual(["good"]);
    });
  });

  it("selects runs that the window names, and sends it the layout to store", async () => {
    const { say, see, send, reports } = await opened();
    await send({ kind: "choose", folders: [folder] });
    expect((await see("choose")).ids).toEqual([runIdOf(folder)]);
    await say({ kind: "keep", layout: "{}" });
    await vi.waitFor(() =>
      expect(reports).toContainEqual({ kind: "keep", change: { layout: "{}" } }),
    );
  });
});
