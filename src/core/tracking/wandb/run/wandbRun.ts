/** The operations on a W&B run, the same online and offline. */

import type { ReferenceArtifact } from "./checkpointArtifact.ts";
import type { ConsoleStream } from "./consoleLines.ts";
import type { ExtendedObject } from "./extendedJson.ts";
import type { RowTime } from "./runSummary.ts";
import type { Table } from "./tableFile.ts";

export interface WandbRunInit {
  /** Eight letters and digits, the last part of the run's address. */
  readonly id: string;
  readonly project: string;
  /** Null = the key's own. */
  readonly entity: string | null;
  /** Null = the server generates one. */
  readonly displayName: string | null;
  /** Whether the user chose the name; a generated one is set only for a new run, because it can be changed on the page. */
  readonly isNameGiven: boolean;
  readonly group: string | null;
  readonly jobType: string | null;
  readonly notes: string | null;
  readonly tags: readonly string[] | null;
  readonly config: ExtendedObject;
  /** File name of the program. */
  readonly program: string | null;
  /** For example `linux-x64`. */
  readonly platform: string;
}

/** Everything is kept in memory until {@link flush}. */
export interface WandbRun {
  /** Defines a metric over the axis `step`; a dot in its name is written `\.`. */
  define(name: string): void;
  /** Adds a row of history. */
  log(values: ExtendedObject, at: RowTime): void;
  updateConfig(update: ExtendedObject): void;
  updateSummary(update: ExtendedObject): void;
  print(stream: ConsoleStream, text: string, timeMs: number): void;
  /** False if it was refused; this is not reported again. */
  addFile(path: string, text: string): Promise<boolean>;
  /** The cell that shows the table in a row; null if its file was refused. */
  addTable(key: string, table: Table, step: number): Promise<ExtendedObject | null>;
  /** A refusal is not reported again. Does nothing for an offline run. */
  addArtifact(artifact: ReferenceArtifact): Promise<void>;
  /** Resolves when everything so far is sent or written. */
  flush(): Promise<void>;
  /** Ends the attempt; no other call may follow. */
  finish(exitCode: number): Promise<void>;
}
