/** The operations on a W&B run, the same online and offline. */

import type { ReferenceArtifact } from "./checkpointArtifact.ts";
import type { ConsoleStream } from "./consoleLines.ts";
import type { ExtendedObject } from "./extendedJson.ts";
import type { RowTime } from "./runSummary.ts";
import type { Table } from "./tableFile.ts";

export interface WandbRunInit {
  /** Eight letters and digits: the last part of the run's address. */
  readonly id: string;
  readonly project: string;
  /** Null = that of the key. */
  readonly entity: string | null;
  /** Null = the server invents one. */
  readonly displayName: string | null;
  /** Whether the user gave that name: any other is only for a new run, because it can be changed on the page. */
  readonly isNameGiven: boolean;
  readonly group: string | null;
  readonly jobType: string | null;
  readonly notes: string | null;
  readonly tags: readonly string[] | null;
  readonly config: ExtendedObject;
  /** File name of what is run. */
  readonly program: string | null;
  /** For example `linux-x64`. */
  readonly platform: string;
}

/** Until {@link flush} everything is kept in memory. */
export interface WandbRun {
  /** Announces a metric, over the axis `step`; a dot in its name is written `\.`. */
  define(name: string): void;
  /** Adds a row of history. */
  log(values: ExtendedObject, at: RowTime): void;
  updateConfig(update: ExtendedObject): void;
  updateSummary(update: ExtendedObject): void;
  print(stream: ConsoleStream, text: string, timeMs: number): void;
  /** False when it was not taken; it then is not mentioned again. */
  addFile(path: string, text: string): Promise<boolean>;
  /** The cell of a row that shows the table; null when its file was not taken. */
  addTable(key: string, table: Table, step: number): Promise<ExtendedObject | null>;
  /** One that is not taken is not mentioned again. Files of an offline run have none. */
  addArtifact(artifact: ReferenceArtifact): Promise<void>;
  /** Resolves when everything so far is sent or written. */
  flush(): Promise<void>;
  /** Ends the attempt; no other call may follow. */
  finish(exitCode: number): Promise<void>;
}
