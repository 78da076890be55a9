/** The built page of the runs table in Chromium, connected to a real session over real run folders. */

import type { Browser } from "playwright-core";
import { listRunsIn, openRunsHost, type RunsHost } from "./runsHost.ts";
import { openServedPage, type ServedPage, type ServedPageOptions } from "./servedPage.ts";

export interface RunsPageOptions extends ServedPageOptions {
  /** Holds the run folders. */
  readonly parent: string;
  /** The stored state of an earlier page. */
  readonly layout?: string;
}

export interface RunsPage extends Omit<ServedPage, "post">, Omit<RunsHost, "close"> {}

export async function openRunsPage(browser: Browser, options: RunsPageOptions): Promise<RunsPage> {
  const listed = await listRunsIn(options.parent);
  const posting: { post: ServedPage["post"] } = { post: () => undefined };
  const host = openRunsHost(listed, options.layout ?? null, (message) => posting.post(message));
  const served = await openServedPage(browser, "runs", options, (message, post) => {
    posting.post = post;
    host.session.receive(message);
  });
  return {
    ...served,
    ...host,
    close: async () => {
      host.close();
      listed.store.close();
      await served.close();
    },
  };
}
