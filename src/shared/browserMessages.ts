/**
 * Messages between a page in a browser and `tinker-rl view`, as JSON over a WebSocket: those of the editor, plus what the page must do
 * itself without one.
 */

import type { DashboardCommand, ExportedFile } from "./dashboardMessages.ts";

/** Dashboard commands that work without an editor. */
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
  /** Answers an `ask`; null = the user canceled. The answer to an accepted `confirm` is an empty string. */
  | { readonly kind: "answer"; readonly id: number; readonly value: string | null };

export type ToBrowser =
  | { readonly kind: "message"; readonly message: unknown }
  | {
      readonly kind: "ask" | "confirm";
      readonly id: number;
      readonly text: string;
      /** Initial value of the input; empty for a `confirm`. */
      readonly value: string;
    }
  /** Navigates to another page; the address is relative to the common root of all pages. */
  | { readonly kind: "go"; readonly page: string }
  /** Opens one of our pages, or an external one, in a new tab. */
  | { readonly kind: "open"; readonly address: string }
  | { readonly kind: "copy"; readonly text: string }
  | { readonly kind: "save"; readonly file: ExportedFile }
  /** What the page shows now: its title, and the address that leads back to it. */
  | { readonly kind: "shown"; readonly page: string; readonly title: string };

/** The typed arrays that messages may contain, by name. */
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
  /** The bytes in Base64, in the machine's byte order, which is little-endian on every supported platform. */
  readonly bytes: string;
}
