/** Opens chats with one or several models: on a task of an environment, from a turn of a stored rollout, or free-form. */

import type { ChatStart } from "../../api/chat.ts";
import type { Chat } from "../../core/chat/chat.ts";
import { declareTool } from "../../core/chat/firstPrompt.ts";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import { taskChoices, withOnlyEnvironment } from "../../core/config/taskChoices.ts";
import { Conversation, type ConversationOptions } from "../../core/conversation/conversation.ts";
import { LiveTask } from "../../core/conversation/liveTask.ts";
import { idOpening, messageOpening } from "../../core/conversation/openings.ts";
import { contextBefore, replayTo } from "../../core/conversation/storedRollout.ts";
import type { TalkPartner } from "../../core/conversation/talk.ts";
import { AppError } from "../../core/errors.ts";
import type { RemoteEnvironment } from "../../core/openreward/types.ts";
import type { FileSystem } from "../../core/ports.ts";
import { restoredTools } from "../../core/rollout/episodeRecord.ts";
import type { RolloutSettings } from "../../core/rollout/settings.ts";
import { type Destinations, destinationsOf } from "../../core/secrets/destinations.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { systemClock } from "../../node/clock.ts";
import { sha256 } from "../../node/hash.ts";
import { namedRun } from "../../node/namedRun.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { requireNamedByUser } from "../config/requireNamed.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { ChatServices } from "./chatServices.ts";
import { type ChosenModel, chooseModel, type ModelRequest } from "./chooseModel.ts";
import { type FoundTurn, findStoredTurn } from "./findStoredTurn.ts";
import { judgedAddresses } from "./judgedAddresses.ts";
import type { MeteredModel } from "./meteredModel.ts";
import { readyModel } from "./readyModel.ts";

export interface ChatRequest
  extends Omit<ModelRequest, "target" | "runFolder">,
    Omit<ChatStart, "launch" | "settings"> {
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** The editor's request for the run of the first target; absent for a terminal. */
  readonly launchRequest?: LaunchRequest;
  /** Learns the secrets, so that errors printed elsewhere can be redacted. */
  readonly redactor?: Redactor;
  readonly programFolder?: string;
  /** Receives a short message when each startup stage begins. */
  readonly onPart: (what: string) => void;
  /** Receives messages about a service once the chat is open; earlier ones are in its notes. */
  readonly onNotice: (message: string) => void;
  /** Aborts the startup with its reason; an open chat must be closed instead. */
  readonly signal: AbortSignal;
}

/** One of the models, with its own conversation. */
export interface ChatPartner extends TalkPartner {
  /** Display name. */
  readonly label: string;
  readonly settings: RolloutSettings;
  readonly used: MeteredModel["used"];
  /** Ids as text, including control tokens. */
  readonly decode: (ids: ArrayLike<number>) => string;
}

export interface OpenChat {
  /** In the order of the targets. */
  readonly partners: readonly ChatPartner[];
  /** Display text of the task; null = none. */
  readonly task: string | null;
  /** Notes for the user about deviations from the stored rollout or the configuration; later ones are appended. */
  readonly notes: readonly string[];
  /** Removes secrets from text that is shown or written. */
  clean<T extends object>(record: T): T;
  close(): Promise<void>;
}

/** @throws AppError like a run that cannot start, cleaned of secrets */
export async function openChat(fileSystem: FileSystem, request: ChatRequest): Promise<OpenChat> {
  const { redactor = new Redactor() } = request;
  const cleanup = new CleanupStack();
  try {
    const opening = new ChatOpening(fileSystem, request, redactor, cleanup);
    const opened = await raceAbort(opening.open(), request.signal);
    return {
      ...opened,
      clean: (record) => redactor.redactRecord(record),
      close: () => cleanup.closeAll(),
    };
  } catch (error) {
    await cleanup.closeAll();
    throw redactor.redactError(error);
  }
}

interface TaskPlace {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
}

class ChatOpening {
  readonly #fileSystem: FileSystem;
  readonly #request: ChatRequest;
  readonly #cleanup: CleanupStack;
  readonly #services: ChatServices;
  #notes: string[] = [];
  #isOpen = false;
  #remote: RemoteEnvironment | null = null;

  constructor(
    fileSystem: FileSystem,
    request: ChatRequest,
    redactor: Redactor,
    cleanup: CleanupStack,
  ) {
    const { programFolder, launchRequest } = request;
    const allowedOrigins = launchRequest?.allowedOrigins ?? request.allowedOrigins;
    this.#fileSystem = fileSystem;
    this.#request = request;
    this.#cleanup = cleanup;
    this.#services = new ChatServices({
      cleanup,
      redactor,
      allowedOrigins,
      launchRequest,
      programFolder,
      onNotice: (message) => this.#note(message),
    });
  }

  #note(message: string): void {
    this.#notes.push(message);
    if (this.#isOpen) this.#request.onNotice(message);
  }

  async open(): Promise<Pick<OpenChat, "partners" | "task" | "notes">> {
    const { targets, turn, onPart } = this.#request;
    const { judge, destinations } = await judgedAddresses(
      this.#fileSystem,
      this.#request.launchRequest,
    );
    const runFolder = await this.#runFolder();
    const chosen = await Promise.all(
      targets.map(async (target) =>
        judge(await chooseModel(this.#fileSystem, { ...this.#request, target, runFolder })),
      ),
    );
    const [first] = chosen;
    if (first === undefined)
      throw new AppError("invariant", "Specify a model for the conversation.");
    const stored = turn === null ? null : await findStoredTurn(requireRun(first), turn);
    const place = this.#taskPlace(first, stored);
    for (const model of chosen) await this.#requireNamed(model, place, { runFolder, destinations });
    const partners: ChatPartner[] = [];
    for (const model of chosen) {
      onPart(`opening ${model.label}`);
      partners.push(await this.#partner(model, { first, stored, place }));
    }
    const task = place === null ? null : `${place.environment} ${place.split} ${place.index}`;
    this.#notes = [...new Set(this.#notes)];
    this.#isOpen = true;
    return { partners, task, notes: this.#notes };
  }

  /** The run folder approved by the editor, or that of the first target; null if there is none. */
  async #runFolder(): Promise<string | null> {
    const { launchRequest, targets } = this.#request;
    const judged = launchRequest?.training.resume ?? null;
    const [first = ""] = targets;
    return judged ?? (await namedRun(this.#fileSystem, first))?.folder ?? null;
  }

  /** Runs before anything is sent: destinations named only by a run folder get no key. @throws AppError `run-destination` */
  async #requireNamed(
    { loaded: { config }, run }: ChosenModel,
    place: TaskPlace | null,
    {
      runFolder,
      destinations,
    }: { readonly runFolder: string | null; readonly destinations: Destinations | null },
  ): Promise<void> {
    const { configPath, task } = this.#request;
    const folder = run?.folder ?? runFolder;
    if (folder === null) return;
    const named = task?.environment ?? null;
    const also = [
      ...(destinations === null ? [] : [destinations]),
      ...(configPath === null
        ? []
        : [destinationsOf(withOnlyEnvironment(config, named)), destinationsOf(config)]),
      ...(named === null ? [] : [{ addresses: {}, environments: { [named]: [] } }]),
    ];
    const wanted = destinationsOf(withOnlyEnvironment(config, place?.environment ?? null));
    const elsewhere = { folder, also, hasConfig: configPath !== null };
    this.#notes.push(...(await requireNamedByUser(wanted, elsewhere, this.#request)));
  }

  /** Null if no environment answers calls. */
  #taskPlace(first: ChosenModel, stored: FoundTurn | null): TaskPlace | null {
    const { task, isReplayed, configPath } = this.#request;
    if (stored !== null) return isReplayed ? stored.record : null;
    if (task === null) return null;
    const isNamed = first.run !== null || configPath !== null;
    const choices = isNamed ? taskChoices(first.loaded.config) : [];
    const environment = task.environment ?? choices[0]?.environment;
    if (environment === undefined) {
      throw new AppError(
        "no-environment",
        "No configuration here names an environment. Specify one with --environment, or a configuration with --config_path.",
      );
    }
    const own = choices.find((choice) => choice.environment === environment);
    return { environment, split: task.split ?? own?.split ?? "train", index: task.index };
  }

  async #partner(
    model: ChosenModel,
    {
      first,
      stored,
      place,
    }: {
      readonly first: ChosenModel;
      readonly stored: FoundTurn | null;
      readonly place: TaskPlace | null;
    },
  ): Promise<ChatPartner> {
    const services = this.#services;
    const service = await services.model(model.loaded);
    const opened = await model.open(service, stored);
    const { loaded, label } = opened;
    if (stored !== null) requireSameTokenizer(loaded, first.loaded);
    const environment = place?.environment ?? stored?.record.environment ?? null;
    const secrets = place === null ? {} : await services.secrets(loaded, place.environment);
    const { run } = first;
    const ready = { services, service, chosen: model, opened, environment, secrets, run };
    const { chat, settings, metered, warnings } = await readyModel(ready);
    this.#notes.push(...warnings);
    const { sampler, used } = metered;
    const common = { sampler, sha256, maxTotalTokens: settings.maxTotalTokens };
    const begun = await this.#begin({ chat, settings, loaded, place, stored });
    const conversation = new Conversation({ ...common, ...begun });
    this.#cleanup.add(() => conversation.close());
    if (stored !== null && place !== null) {
      await replayTo(conversation, stored, this.#request.signal);
    }
    const { temperature, topP, topK, maxResponseTokens: maxTokens } = settings;
    return {
      label,
      conversation,
      settings,
      used,
      maxTurns: settings.maxTurns,
      sampling: { temperature, topP, topK, maxTokens },
      decode: (ids) => chat.tokenizer.decode(ids),
    };
  }

  async #begin({
    chat,
    settings,
    loaded,
    place,
    stored,
  }: {
    readonly chat: Chat;
    readonly settings: RolloutSettings;
    readonly loaded: LoadedConfig;
    readonly place: TaskPlace | null;
    readonly stored: FoundTurn | null;
  }): Promise<Pick<ConversationOptions, "chat" | "opening" | "tools" | "task" | "images">> {
    if (place !== null) {
      this.#request.onPart(`asking ${place.environment} for its task`);
      this.#remote ??= await this.#services.environment(loaded, place.environment);
      const remote = this.#remote;
      const { split, index } = place;
      const task = await LiveTask.open({
        remote,
        split,
        index,
        chat,
        settings,
        clock: systemClock,
      });
      const { rendered } = task;
      return { chat, opening: rendered, tools: rendered.tools.map(declareTool), task };
    }
    if (stored !== null) {
      const { record, images } = stored;
      this.#notes.push(
        `The state of ${record.environment} at this point is not restored: you answer the model's calls.`,
      );
      if (this.#request.launchRequest === undefined) {
        this.#notes.push(
          "--replay replays the rollout in a new session, if the environment gives the same answers.",
        );
      }
      const tools = restoredTools(record.tools);
      return { ...idOpening(chat, contextBefore(stored), tools), tools, task: null, images };
    }
    const { system } = this.#request;
    const { systemPromptTemplate } = settings;
    const opening = messageOpening(chat, { systemPromptTemplate, system });
    return { chat, opening, tools: [], task: null };
  }
}

function requireRun({ run, label }: ChosenModel) {
  if (run !== null) return run;
  throw new AppError(
    "no-run",
    `${label} has no rollouts. Specify the run folder of the rollout to continue, and other weights with --beside.`,
  );
}

/** Token ids are only meaningful to the tokenizer that produced them. */
function requireSameTokenizer({ config }: LoadedConfig, { config: ofRun }: LoadedConfig): void {
  const [own, theirs] = [tokenizerNameOf(config), tokenizerNameOf(ofRun)];
  if (own === theirs) return;
  throw new AppError(
    "tokenizer-differs",
    `The rollout's tokens are from ${theirs}, but ${config.model_name} has the tokenizer ${own}. Choose weights of the same model.`,
    { configPath: "tokenizer_name" },
  );
}
