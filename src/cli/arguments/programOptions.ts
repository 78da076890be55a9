/** What the program is given from outside: streams, services and signals. */

import type { Readable } from "node:stream";
import type { EstimateBasis } from "../../api/estimate.ts";
import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import type { Clock, FileSystem, FolderFiles, Log } from "../../core/ports.ts";
import type { BilledUsage } from "../../core/tinker/billing.ts";
import type { McpOptions } from "../../server/mcp/mcpServer.ts";
import type { ServedView, ViewOptions } from "../../server/view/viewServer.ts";
import type { PromptDescription } from "../../shared/promptDescription.ts";
import type { ChatRequest, OpenChat } from "../../trainer/chat/openChat.ts";
import type { ServedModel, ServeModelRequest } from "../../trainer/chat/serveModel.ts";
import type {
  ChangedCheckpoint,
  ChangeRequest,
} from "../../trainer/checkpoints/changeCheckpoints.ts";
import type { ChangeInRunRequest } from "../../trainer/checkpoints/changeInRun.ts";
import type {
  DownloadedWeights,
  DownloadRequest,
} from "../../trainer/checkpoints/downloadCheckpoint.ts";
import type {
  DescribedCheckpoint,
  StoredCheckpoint,
} from "../../trainer/checkpoints/listCheckpoints.ts";
import type { PlacesRequest } from "../../trainer/checkpoints/places.ts";
import type {
  CheckedEnvironment,
  EnvironmentCheckRequest,
} from "../../trainer/environments/checkEnvironments.ts";
import type { PreviewRequest } from "../../trainer/environments/previewPrompt.ts";
import type { OfferedModels } from "../../trainer/models/listModels.ts";
import type {
  ActiveRun,
  DryRunRequest,
  EstimateRequest,
  EvaluateRequest,
  ResumeRequest,
  TrainRequest,
} from "../../trainer/plan/types.ts";
import type { PlayRequest, PlayResult } from "../../trainer/play/playTask.ts";
import type { AccountRequest } from "../../trainer/services/hostedAccount.ts";
import type { BilledRunRequest } from "../../trainer/usage/billedRun.ts";
import type { Invocation } from "../terminal/invocation.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ServeCommand } from "./serveArguments.ts";

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
  startTraining(request: TrainRequest): ActiveRun;
  resumeTraining(request: ResumeRequest): ActiveRun;
  startDryRun(request: DryRunRequest): ActiveRun;
  estimateBasis(
    fileSystem: FileSystem,
    request: Pick<EstimateRequest, "configPath" | "overrides">,
  ): Promise<EstimateBasis>;
  startEstimate(request: EstimateRequest): ActiveRun;
  startEvaluation(request: EvaluateRequest): ActiveRun;
  listCheckpoints(
    fileSystem: FileSystem,
    request: PlacesRequest,
  ): Promise<readonly StoredCheckpoint[]>;
  describeCheckpoint(
    fileSystem: FileSystem,
    request: PlacesRequest & { readonly path: string },
  ): Promise<DescribedCheckpoint>;
  downloadCheckpoint(
    fileSystem: FileSystem,
    request: Omit<DownloadRequest, "programFolder">,
  ): Promise<DownloadedWeights>;
  changeCheckpoints(
    fileSystem: FileSystem,
    request: ChangeRequest,
  ): AsyncIterable<ChangedCheckpoint>;
  changeInRun(
    fileSystem: FileSystem,
    request: ChangeInRunRequest,
  ): AsyncIterable<ChangedCheckpoint>;
  checkEnvironments(
    fileSystem: FileSystem,
    request: EnvironmentCheckRequest,
  ): Promise<readonly CheckedEnvironment[]>;
  previewPrompt(fileSystem: FileSystem, request: PreviewRequest): Promise<PromptDescription>;
  playTask(fileSystem: FileSystem, request: PlayRequest): Promise<PlayResult>;
  openChat(fileSystem: FileSystem, request: ChatRequest): Promise<OpenChat>;
  serveModel(fileSystem: FileSystem, request: ServeModelRequest): Promise<ServedModel>;
  billedRun(files: FolderFiles, request: BilledRunRequest): Promise<BilledUsage>;
  listModels(request: AccountRequest): Promise<OfferedModels>;
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
