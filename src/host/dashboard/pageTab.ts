/** A page's tab: a single one, reused, and restored after a reload. Its content comes from a session in the server. */

import * as vscode from "vscode";
import {
  type OpenPageRequest,
  PAGE_NEWS,
  PAGE_REQUESTS,
  type PageNews,
  type PageReport,
  type PageSent,
  type WindowPage,
} from "../../api/pages.ts";
import { keepRequest } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";
import { fillPanel } from "./panels.ts";
import type { WindowPages } from "./windowPages.ts";

export interface PageTabOptions {
  readonly pages: WindowPages;
  /** Parameters for the page, also after a restart. */
  readonly page: () => WindowPage;
  /** Null = keep the title. */
  readonly title: () => string | null;
  /** Called with the run's folder when a dashboard shows a different run. */
  readonly onShown?: ((folder: string) => void) | undefined;
}

export interface OpenTabOptions {
  readonly viewColumn: vscode.ViewColumn;
  readonly preserveFocus?: boolean | undefined;
}

interface OpenPanel {
  readonly panel: vscode.WebviewPanel;
  readonly relay: PageRelay;
}

export class PageTab implements vscode.Disposable {
  readonly #options: PageTabOptions;
  #shown: OpenPanel | null = null;

  constructor(options: PageTabOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#shown !== null;
  }

  /** True while the page is visible. */
  get isVisible(): boolean {
    return this.#shown?.panel.visible === true;
  }

  /** Tabs of this page without a session: they remain after a crash of the extension host until this code closes them. */
  get orphans(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(
        ({ input }) =>
          input instanceof vscode.TabInputWebview && input.viewType.endsWith(this.#viewType),
      );
  }

  /** Opens the tab, or brings it to the front. */
  open({ viewColumn, preserveFocus = false }: OpenTabOptions): void {
    if (this.#shown !== null) {
      this.#shown.panel.reveal(undefined, preserveFocus);
      return;
    }
    const { orphans } = this;
    // A tab that fails to close does no harm.
    if (orphans.length > 0) vscode.window.tabGroups.close(orphans).then(undefined, () => undefined);
    const title = this.#options.title() ?? "";
    const place = { viewColumn, preserveFocus };
    this.#adopt(vscode.window.createWebviewPanel(this.#viewType, title, place, {}));
  }

  /** Fills a panel restored by the editor. */
  restore(panel: vscode.WebviewPanel): void {
    this.#shown?.panel.dispose();
    this.#adopt(panel);
  }

  /** Does nothing while the tab is closed. */
  send(news: PageNews): void {
    this.#shown?.relay.send(news);
  }

  dispose(): void {
    this.#shown?.relay.dispose();
  }

  get #viewType(): string {
    return `tinkerRL.${this.#options.page().kind}`;
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { pages, page, title, onShown } = this.#options;
    const { extensionUri, server, onError } = pages.options;
    const { webview } = panel;
    const load = (): void => fillPanel(panel, page().kind, extensionUri);
    let isVisible = panel.visible;
    const relay = pageRelay({
      server,
      onError,
      start: () => ({ ...pages.surroundings(), page: page(), isVisible }),
      post: (json) => void webview.postMessage(json),
      reload: load,
      onReport: (report) => {
        if (report.kind === "keep") pages.keep(report.change);
        else {
          onShown?.(report.folder);
          panel.title = title() ?? panel.title;
        }
      },
    });
    const opened = { panel, relay };
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => relay.send({ kind: "message", message })),
      panel.onDidChangeViewState(() => {
        if (panel.visible === isVisible) return;
        isVisible = panel.visible;
        relay.send({ kind: "visible", isVisible });
      }),
      pages.onDidChange((news) => relay.send(news)),
      pages.options.store.onDidChange(() => {
        panel.title = title() ?? panel.title;
      }),
    ];
    panel.onDidDispose(() => {
      relay.dispose();
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#shown === opened) this.#shown = null;
    });
    load();
    this.#shown = opened;
  }
}

export interface PageRelayOptions {
  readonly server: Pick<Server, "request" | "notify">;
  /** Parameters for opening the session, also after a restart. */
  readonly start: () => Omit<OpenPageRequest, "progressToken">;
  /** Posts a message from the session to the page, as JSON. */
  readonly post: (json: string) => void;
  /** Reloads the page, because a new session has no state for it. */
  readonly reload: () => void;
  readonly onReport: (report: Extract<PageReport, { readonly kind: "shown" | "keep" }>) => void;
  readonly onError: (error: unknown) => void;
}

export type PageRelay = ReturnType<typeof pageRelay>;

/** Relays messages between a page and its session in the server; reopens the session if the server restarts. */
export function pageRelay({ server, start, post, reload, onReport, onError }: PageRelayOptions) {
  /** Messages to send once the server has opened the session; null = already open. */
  let early: PageNews[] | null = [];
  const send = (what: PageNews): void => {
    if (early !== null) {
      early.push(what);
      return;
    }
    const sent: PageSent = { page: request.token(), what };
    // If the server is gone, so is the session; it will be reopened.
    server.notify(PAGE_NEWS, sent).catch(() => undefined);
  };
  const request = keepRequest<PageReport>({
    server,
    method: PAGE_REQUESTS.open,
    start,
    onReport: (report) => {
      if (report.kind === "post") post(report.json);
      else if (report.kind === "opened") {
        const waiting = early ?? [];
        early = null;
        waiting.forEach(send);
      } else onReport(report);
    },
    onLost: () => {
      early ??= [];
    },
    onAgain: reload,
    onError,
  });
  return { send, dispose: (): void => request.dispose() };
}
