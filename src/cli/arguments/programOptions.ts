/** The program's dependencies: streams, services and signals. */

import type { Readable } from "node:stream";
import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import type { Clock, FileSystem, Log } from "../../core/ports.ts";
import type { McpOptions } from "../../server/mcp/mcpServer.ts";
import type { ServedView, ViewOptions } from "../../server/view/viewServer.ts";
import type { Invocation } from "../terminal/invocation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { TrainerApi } from "./trainerApi.ts";

/** What to show in the browser. */
export type ViewRequest = Pick<ViewOptions, "parents" | "run" | "port">;

/** What an assistant may see and do. */
export type McpRequest = Pick<McpOptions, "root" | "permission">;

export interface ProgramOptions {
  readonly out: Terminal;
  readonly err: Terminal;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  /** Standard input. */
  readonly input: Readable;
  readonly log: Log;
  /** False if the process no longer exists. */
  readonly isProcessAlive: (pid: number) => boolean;
  /** Loads most of the program, which is not needed for help and for commands that only read run folders. */
  readonly loadTrainer: () => Promise<TrainerApi>;
  readonly serveView: (request: ViewRequest) => Promise<ServedView>;
  /** `name` as in `tokenizer_name` or `model_name`; relative folders are resolved from the configuration. */
  readonly loadTokenizer: (name: string, configPath: string) => Promise<Tokenizer>;
  /** Calls back on each interrupt until released. */
  readonly interrupts: (onInterrupt: () => void) => () => void;
  /** Contains the templates for new environments. */
  readonly templatesFolder: string;
  readonly invocation: Invocation;
  /** Path of the started script, as in `process.argv[1]`. */
  readonly scriptPath: string;
  readonly version: string;
  /** Serves an editor over standard input and output, and resolves once it disconnects. */
  readonly serveEditor: () => Promise<void>;
  /** Serves an assistant over standard input and output, and resolves once it disconnects. */
  readonly serveMcp: (request: McpRequest) => Promise<void>;
  /** Print stack traces for all errors. */
  readonly isDebug: boolean;
}

/** For commands that train, play, or contact a service. */
export interface TrainerProgram extends ProgramOptions {
  readonly trainer: TrainerApi;
}
