/** State and actions of the play page. */

import { type Signal, signal } from "@preact/signals";
import type { PlayPageMessage, PlayReply, PlayView } from "../../src/shared/play.ts";
import type { VsCodeApi } from "../model/shell.ts";

export class PlayModel {
  readonly view: Signal<PlayView | null> = signal(null);
  /** The startup stage in progress; null = started or failed. */
  readonly part: Signal<string | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);
  /** Name of the tool whose form is shown; null = the first tool. */
  readonly tool: Signal<string | null> = signal(null);
  readonly #host: VsCodeApi;

  constructor(host: VsCodeApi) {
    this.#host = host;
  }

  /** Starts listening for replies. Call once. */
  listen(): void {
    window.addEventListener("message", ({ data }: MessageEvent<PlayReply>) => this.#take(data));
    this.send({ kind: "ready" });
  }

  send(message: PlayPageMessage): void {
    this.#host.postMessage(message);
  }

  #take(reply: PlayReply): void {
    this.part.value = reply.kind === "part" ? reply.what : null;
    this.failure.value = reply.kind === "failed" ? reply.error.message : null;
    if (reply.kind === "view") this.view.value = reply.view;
    else if (reply.kind === "part") this.view.value = null;
  }
}

/** Props of every component of the page. */
export interface PlayProps {
  readonly play: PlayModel;
}
