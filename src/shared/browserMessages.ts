/** What a page in a browser and `tinker-rl view` send each other over a WebSocket, as JSON: the same messages as in an editor, and what a page does itself for lack of one. */

import type { DashboardCommand, ExportedFile } from "./dashboardMessages.ts";

/** The commands of the dashboard that need no editor. */
export const BROWSER_COMMANDS = [
  "pause",
  "continue",
  "saveNow",
  "stop",
  "stopNow",
  "change-settings",
  "copyCheckpointPath",
  "markRollout",
  "openLog",
  "exportFile",
  "openLink",
  "copyText",
] as const satisfies readonly DashboardCommand[];

export type BrowserCommand = (typeof BROWSER_COMMANDS)[number];

export type FromBrowser =
  | { readonly kind: "message"; readonly message: unknown }
  /** Of an `ask`; null = the person canceled it. A `confirm` that was accepted has an empty text. */
  | { readonly kind: "answer"; readonly id: number; readonly value: string | null };

export type ToBrowser =
  | { readonly kind: "message"; readonly message: unknown }
  | {
      readonly kind: "ask" | "confirm";
      readonly id: number;
      readonly text: string;
      /** What the person can change; empty for a `confirm`. */
      readonly value: string;
    }
  /** Goes to another page, whose address is relative to the one that all pages are below. */
  | { readonly kind: "go"; readonly page: string }
  /** Opens a page of ours, or of somebody else, in another tab. */
  | { readonly kind: "open"; readonly address: string }
  | { readonly kind: "copy"; readonly text: string }
  | { readonly kind: "save"; readonly file: ExportedFile }
  /** What the page shows now: its title, and the address that leads back to it. */
  | { readonly kind: "shown"; readonly page: string; readonly title: string };

/** The typed arrays that messages have, by name. */
export const TYPED_ARRAYS = {
  Float64Array,
  Float32Array,
  Int32Array,
  Int16Array,
  Uint8Array,
};

/** A typed array in JSON. */
export interface TypedArrayJson {
  readonly typedArray: keyof typeof TYPED_ARRAYS;
  /** Its bytes in Base64, in the byte order of this machine, which is little-endian wherever the program runs. */
  readonly bytes: string;
}
