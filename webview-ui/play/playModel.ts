/** What the page of a play knows, and what it can ask for. */

import { type Signal, signal } from "@preact/signals";
import type { PlayPageMessage, PlayReply, PlayView } from "../../src/shared/play.ts";
import type { VsCodeApi } from "../model/shell.ts";

export class PlayModel {
  readonly view: Signal<PlayView | null> = signal(null);
  /** The part of the beginning that is in progress; null = it has begun, or failed. */
  readonly part: Signal<string | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);
  /** Name of the tool whose form is shown; null = the first. */
  readonly tool: Signal<string | null> = signal(null);
  readonly #host: VsCodeApi;

  constructor(host: VsCodeApi) {
    this.#host = host;
  }

  /** Takes replies from now on. Call once. */
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

/** Props of every part of the page. */
export interface PlayProps {
  readonly play: PlayModel;
}
