/** Serves environment tasks for a person to play in the editor. */

import { openPlaySchema, PLAY_MOVE, PLAY_REQUESTS, playMoveSchema } from "../api/play.ts";
import { playableTools } from "../core/environmentCheck/probe/tools.ts";
import { AppError } from "../core/errors.ts";
import type { Player, PlayerMove, PlayerView } from "../core/play/player.ts";
import { raceAbort } from "../core/util/abort.ts";
import { parseExactObject } from "../core/util/exactJson.ts";
import type {
  CallResult,
  PageMove,
  PlayEnd,
  PlayReply,
  PlayTool,
  PlayTurn,
} from "../shared/play.ts";
import type { PlayResult as EndedPlays } from "../trainer/play/playTask.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";

/** Each play lives as long as its request. */
export function servePlays(server: ServerOptions): void {
  const { connection, trainer, programFolder } = server;
  const plays = new Map<string, PagePlayer>();
  answerRequests(
    server,
    PLAY_REQUESTS.open,
    openPlaySchema,
    async (
      { progressToken, launch, environment, split, task },
      { fileSystem, signal, redactor },
    ) => {
      const reply = reporterTo<PlayReply>(connection, progressToken);
      const player = new PagePlayer(reply);
      plays.set(progressToken, player);
      try {
        const { configPath, overrides } = launch.training;
        const ended = await trainer.playTask(fileSystem, {
          configPath,
          overrides,
          allowedOrigins: [],
          launchRequest: launch,
          programFolder,
          redactor,
          signal,
          environment,
          split,
          task,
          tasks: 1,
          rollouts: 1,
          atOnce: 1,
          byAgent: false,
          isStored: true,
          player: { kind: "moves", name: "person", player },
          onPart: (what) => reply({ kind: "part", what }),
          onResult: (result) => player.add(result),
        });
        player.end(ended);
      } finally {
        plays.delete(progressToken);
      }
      return null;
    },
  );
  connection.onNotification(PLAY_MOVE, (message: unknown) => {
    const { play, move } = playMoveSchema.parse(message);
    plays.get(play)?.make(move);
  });
}

/** Waits for moves from the page, and sends it the complete state after each change. */
class PagePlayer implements Player {
  readonly #reply: (what: PlayReply) => void;
  #tools: readonly PlayTool[] = [];
  #turns: readonly PlayTurn[] = [];
  #problem: string | null = null;
  #end: PlayEnd | null = null;
  /** Null while it is not the player's turn. */
  #take: ((move: PlayerMove) => void) | null = null;

  constructor(reply: (what: PlayReply) => void) {
    this.#reply = reply;
  }

  move({ text, tools, problem }: PlayerView, signal: AbortSignal | undefined): Promise<PlayerMove> {
    this.#tools = playableTools(tools);
    this.#problem = problem;
    if (problem === null) this.#turns = [...this.#turns, { read: text, move: null, results: [] }];
    const made = new Promise<PlayerMove>((resolve) => {
      this.#take = resolve;
    });
    this.#show();
    return signal === undefined ? made : raceAbort(made, signal);
  }

  /** Ignored while it is not the player's turn. */
  make(move: PageMove): void {
    const take = this.#take;
    if (take === null) return;
    try {
      const read = readMove(move);
      this.#problem = null;
      this.#take = null;
      this.#change({ move: move.kind === "text" ? move.text : `${move.name} ${move.args}` });
      take(read);
    } catch (error) {
      this.#problem = error instanceof AppError ? error.message : String(error);
    }
    this.#show();
  }

  add(result: CallResult): void {
    this.#change({ results: [...(this.#turns.at(-1)?.results ?? []), result] });
    this.#show();
  }

  end({ played, folder }: EndedPlays): void {
    const [own] = played;
    if (own === undefined) return;
    const { reward, stop, error } = own;
    this.#end = { reward, stop, error, folder };
    this.#take = null;
    this.#show();
  }

  #change(change: Partial<PlayTurn>): void {
    const last = this.#turns.at(-1);
    if (last !== undefined) this.#turns = [...this.#turns.slice(0, -1), { ...last, ...change }];
  }

  #show(): void {
    this.#reply({
      kind: "view",
      view: {
        tools: this.#tools,
        turns: this.#turns,
        problem: this.#problem,
        isAwaited: this.#take !== null,
        end: this.#end,
      },
    });
  }
}

/** @throws AppError `bad-arguments` if the arguments are not a JSON object */
function readMove(move: PageMove): PlayerMove {
  if (move.kind === "text") return move;
  const args = parseExactObject(move.args);
  if (args !== null) return { kind: "call", name: move.name, args };
  throw new AppError("bad-arguments", `The arguments of ${move.name} are not a JSON object.`);
}
