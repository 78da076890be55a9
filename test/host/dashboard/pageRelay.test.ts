import { expect, it, onTestFinished, vi } from "vitest";
import type { OpenPageRequest, PageNews, PageReport, PageSent } from "../../../src/api/pages.ts";
import { pageRelay } from "../../../src/host/dashboard/pageTab.ts";
import type { Server } from "../../../src/host/server/server.ts";
import { PAGE_SETTINGS } from "../../server/dashboard/pageSettings.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const SURROUNDINGS = {
  runs: [],
  workspaceFolders: [],
  cachePath: null,
  settings: { ...PAGE_SETTINGS, layout: null },
};

interface OpenSession {
  readonly request: OpenPageRequest;
  readonly report: (report: PageReport) => void;
  readonly die: () => void;
}

function aRelay(page: OpenPageRequest["page"]) {
  const sessions: OpenSession[] = [];
  const sent: PageSent[] = [];
  const posted: string[] = [];
  const errors: unknown[] = [];
  let reloads = 0;
  const server: Pick<Server, "request" | "notify"> = {
    request: <Answer, Report>(
      _: string,
      parameters: object,
      options: { readonly onProgress?: ((report: Report) => void) | undefined } = {},
    ) =>
      new Promise<Answer>((_resolve, reject) => {
        sessions.push({
          request: parameters as OpenPageRequest, // the parameters that the relay sends
          report: (report) => options.onProgress?.(report as Report),
          die: () => reject(new Error("The server stopped.")),
        });
      }),
    notify: async (_, parameters) => {
      sent.push(parameters as PageSent); // the notification that the relay sends
    },
  };
  const relay = pageRelay({
    server,
    start: () => ({ ...SURROUNDINGS, page, isVisible: true }),
    post: (json) => posted.push(json),
    reload: () => {
      reloads += 1;
    },
    onReport: () => undefined,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => relay.dispose());
  return { relay, sessions, sent, posted, errors, reloads: () => reloads };
}

it.each([
  [
    { kind: "dashboard", folder: "/run" },
    { kind: "show", folder: "/run", target: null },
  ],
  [{ kind: "runs" }, { kind: "choose", folders: ["/run"] }],
] as const satisfies readonly (readonly [OpenPageRequest["page"], PageNews])[])(
  "reopens the session of a page that ended with its server, reloads the page, and loses no message: %o",
  async (page, news) => {
    const { relay, sessions, sent, posted, errors, reloads } = aRelay(page);
    await vi.waitFor(() => expect(sessions).toHaveLength(1));
    sessions[0]?.report({ kind: "opened" });
    sessions[0]?.report({ kind: "post", json: "{}" });
    expect(posted).toEqual(["{}"]);
    sessions[0]?.die();
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    relay.send(news);
    expect(sent).toEqual([]);
    await vi.waitFor(() => expect(sessions).toHaveLength(2), 3_000);
    expect(reloads()).toBe(1);
    expect(sessions[1]?.request).toMatchObject({ page, isVisible: true });
    expect(sessions[1]?.request.progressToken).not.toBe(sessions[0]?.request.progressToken);
    sessions[1]?.report({ kind: "opened" });
    expect(sent).toEqual([{ page: sessions[1]?.request.progressToken, what: news }]);
  },
);

it("delivers messages in order that the page sent before its session was open", async () => {
  const { relay, sessions, sent } = aRelay({ kind: "runs" });
  await vi.waitFor(() => expect(sessions).toHaveLength(1));
  relay.send({ kind: "message", message: { kind: "ready" } });
  relay.send({ kind: "marked", folder: "/run" });
  sessions[0]?.report({ kind: "opened" });
  expect(sent.map(({ what }) => what.kind)).toEqual(["message", "marked"]);
});

it("retries with growing delays while a server does not start", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { sessions } = aRelay({ kind: "runs" });
  const pauses: number[] = [];
  for (let count = 1; count <= 4; count += 1) {
    expect(sessions).toHaveLength(count);
    sessions.at(-1)?.die();
    const diedAtMs = Date.now();
    while (sessions.length === count) await vi.advanceTimersByTimeAsync(100);
    pauses.push(Date.now() - diedAtMs);
  }
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000]);
});
