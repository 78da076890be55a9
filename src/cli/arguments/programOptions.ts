/** What the program is given from outside: streams, services and signals. */

import type { Readable } from "node:stream";
import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import type { Clock, FileSystem, Log } from "../../core/ports.ts";
import type { McpOptions } from "../../server/mcp/mcpServer.ts";
import type { ServedView, ViewOptions } from "../../server/view/viewServer.ts";
import type { openChat } from "../../trainer/chat/openChat.ts";
import type { serveModel } from "../../trainer/chat/serveModel.ts";
import type { changeCheckpoints } from "../../trainer/checkpoints/changeCheckpoints.ts";
import type { changeInRun } from "../../trainer/checkpoints/changeInRun.ts";
import type {
  DownloadRequest,
  downloadCheckpoint,
} from "../../trainer/checkpoints/downloadCheckpoint.ts";
import type {
  describeCheckpoint,
  listCheckpoints,
} from "../../trainer/checkpoints/listCheckpoints.ts";
import type { checkEnvironments } from "../../trainer/environments/checkEnvironments.ts";
import type { previewPrompt } from "../../trainer/environments/previewPrompt.ts";
import type { estimateBasis } from "../../trainer/estimate/estimate.ts";
import type { listModels } from "../../trainer/models/listModels.ts";
import type { playTask } from "../../trainer/play/playTask.ts";
import type {
  resumeTraining,
  startDryRun,
  startEstimate,
  startEvaluation,
  startTraining,
} from "../../trainer/trainer.ts";
import type { billedRun } from "../../trainer/usage/billedRun.ts";
import type { Invocation } from "../terminal/invocation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ServeCommand } from "./planningArguments.ts";

/** Where the local services listen, and their key. */
export interface ServedAddresses {
  readonly tinkerUrl: string;
  readonly environmentsUrl: string;
  readonly key: string;
}

export interface Served extends ServedAddresses {
  /** Aborted with an AppError once one of the services has ended by itself. */
  readonly failed: AbortSignal;
  close(): Promise<void>;
}

/** The functions of the trainer that the commands call. */
export interface TrainerApi {
  readonly startTraining: typeof startTraining;
  readonly resumeTraining: typeof resumeTraining;
  readonly startDryRun: typeof startDryRun;
  readonly estimateBasis: typeof estimateBasis;
  readonly startEstimate: typeof startEstimate;
  readonly startEvaluation: typeof startEvaluation;
  readonly listCheckpoints: typeof listCheckpoints;
  readonly describeCheckpoint: typeof describeCheckpoint;
  downloadCheckpoint(
    fileSystem: FileSystem,
    request: Omit<DownloadRequest, "programFolder">,
  ): ReturnType<typeof downloadCheckpoint>;
  readonly changeCheckpoints: typeof changeCheckpoints;
  readonly changeInRun: typeof changeInRun;
  readonly checkEnvironments: typeof checkEnvironments;
  readonly previewPrompt: typeof previewPrompt;
  readonly playTask: typeof playTask;
  readonly openChat: typeof openChat;
  readonly serveModel: typeof serveModel;
  readonly billedRun: typeof billedRun;
  readonly listModels: typeof listModels;
  serve(options: Omit<ServeCommand, "kind">): Promise<Served>;
}

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
  readonly trainer: TrainerApi;
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
