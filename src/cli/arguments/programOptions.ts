/** What the program is given from outside: streams, services and signals. */

import type { Readable } from "node:stream";
import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import type { Clock, FileSystem, Log } from "../../core/ports.ts";
import type { McpOptions } from "../../server/mcp/mcpServer.ts";
import type { ServedView, ViewOptions } from "../../server/view/viewServer.ts";
import type { Invocation } from "../terminal/invocation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { TrainerApi } from "./trainerApi.ts";

/** What the pages in a browser show. */
export type ViewRequest = Pick<ViewOptions, "parents" | "run" | "port">;

/** What an assistant may look at and do. */
export type McpRequest = Pick<McpOptions, "root" | "permission">;

export interface ProgramOptions {
  readonly out: Terminal;
  readonly err: Terminal;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  /** Standard input. */
  readonly input: Readable;
  readonly log: Log;
  /** False for a process that no longer exists. */
  readonly isProcessAlive: (pid: number) => boolean;
  /** Loads most of the program, which help and commands that only read run folders do without. */
  readonly loadTrainer: () => Promise<TrainerApi>;
  readonly serveView: (request: ViewRequest) => Promise<ServedView>;
  /** `name` as in `tokenizer_name` or `model_name`; relative folders start at the configuration. */
  readonly loadTokenizer: (name: string, configPath: string) => Promise<Tokenizer>;
  /** Calls back at each interrupt until released. */
  readonly interrupts: (onInterrupt: () => void) => () => void;
  /** With the templates of new environments. */
  readonly templatesFolder: string;
  readonly invocation: Invocation;
  /** Of the started script, as in `process.argv[1]`. */
  readonly scriptPath: string;
  readonly version: string;
  /** Answers an editor over standard input and output, and resolves once it has left. */
  readonly serveEditor: () => Promise<void>;
  /** Answers an assistant over standard input and output, and resolves once it has left. */
  readonly serveMcp: (request: McpRequest) => Promise<void>;
  /** Print the stack of every error. */
  readonly isDebug: boolean;
}

/** For commands that train, play, or ask a service. */
export interface TrainerProgram extends ProgramOptions {
  readonly trainer: TrainerApi;
}
