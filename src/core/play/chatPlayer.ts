/** A player that calls a model with OpenAI's chat completions API: https://platform.openai.com/docs/api-reference/chat. */

import * as z from "zod";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { ToolList } from "../openreward/types.ts";
import type { Clock, HttpClient, Random } from "../ports.ts";
import type { Backoff } from "../util/backoff.ts";
import { parseExactObject, plainJson, writeExactJson } from "../util/exactJson.ts";
import { parseJson } from "../util/jsonl.ts";
import { retry, type TryOutcome } from "../util/retry.ts";
import { withoutEnd } from "../util/textEdges.ts";
import type { Player, PlayerMove, PlayerView } from "./player.ts";

export interface ChatPlayerOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Base URL, such as `https://api.openai.com/v1`. */
  readonly url: string;
  readonly model: string;
  /** Null = the server needs no key. */
  readonly key: { readonly name: string; readonly value: string } | null;
}

/** Number of consecutive invalid answers after which the play ends. */
const MAX_PROBLEMS = 3;
const MAX_TRIES = 5;
const TIMEOUT_MS = 600_000;
const BACKOFF: Backoff = { firstMs: 1_000, maxMs: 20_000, jitter: 0.5 };

const reply = z.object({
  choices: z.tuple(
    [
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string(),
                function: z.object({ name: z.string(), arguments: z.string() }),
              }),
            )
            .nullish(),
        }),
      }),
    ],
    z.unknown(),
  ),
});
type Answer = z.infer<typeof reply>["choices"][0]["message"];

/** Plays one task. If an answer contains several calls, only the first is made. Images are not sent. */
export class ChatPlayer implements Player {
  readonly #options: ChatPlayerOptions;
  readonly #messages: Json[] = [];
  /** Id of the last call, which the next result answers; null after a text. */
  #callId: string | null = null;
  #problems = 0;

  constructor(options: ChatPlayerOptions) {
    this.#options = options;
  }

  /** @throws AppError `player-failed` when the server rejects a request or gives an invalid answer */
  async move(view: PlayerView, signal: AbortSignal | undefined): Promise<PlayerMove> {
    if (view.isNew) this.#messages.length = 0;
    for (const message of view.news) this.#messages.push(this.#newMessage(message, view.isNew));
    if (view.problem === null) this.#problems = 0;
    for (let { problem } = view; ; ) {
      if (problem !== null) this.#answerProblem(problem);
      const answer = await this.#ask(view.tools, signal);
      const [call] = answer.tool_calls ?? [];
      if (call === undefined) {
        const text = answer.content ?? "";
        this.#messages.push({ role: "assistant", content: text });
        this.#callId = null;
        return { kind: "text", text };
      }
      const { name, arguments: written } = call.function;
      this.#messages.push({
        role: "assistant",
        content: null,
        tool_calls: [{ id: call.id, type: "function", function: call.function }],
      });
      this.#callId = call.id;
      const args = parseExactObject(written.trim() === "" ? "{}" : written);
      if (args !== null) return { kind: "call", name, args };
      problem = `The arguments of ${name} are not a JSON object.`;
    }
  }

  #answerProblem(problem: string): void {
    this.#problems += 1;
    if (this.#problems === MAX_PROBLEMS) {
      throw this.#failed(
        `gave ${MAX_PROBLEMS} answers that cannot be played. The last: ${problem}`,
      );
    }
    this.#messages.push(
      this.#callId === null
        ? { role: "user", content: problem }
        : { role: "tool", tool_call_id: this.#callId, content: problem },
    );
  }

  #newMessage(message: InitialMessage, isNew: boolean): Json {
    const { role, content } = message;
    if (role === "tool") {
      const id = isNew ? message.callId : this.#callId;
      return id === null ? { role: "user", content } : { role, tool_call_id: id, content };
    }
    if (role !== "assistant" || message.calls.length === 0) return { role, content };
    const calls = message.calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: writeExactJson(args) },
    }));
    return { role, content, tool_calls: calls };
  }

  async #ask(tools: ToolList, signal: AbortSignal | undefined): Promise<Answer> {
    const { http, clock, random, url, model, key } = this.#options;
    const declared = tools.tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: plainJson(inputSchema ?? NO_ARGUMENTS) },
    }));
    const offered = declared.length === 0 ? {} : { tools: declared, parallel_tool_calls: false };
    const request = {
      method: "POST",
      url: `${withoutEnd(url, /\//)}/chat/completions`,
      headers: withoutUndefined({
        "content-type": "application/json",
        authorization: key === null ? undefined : `Bearer ${key.value}`,
      }),
      body: JSON.stringify({ model, messages: this.#messages, ...offered }),
      timeoutMs: TIMEOUT_MS,
      signal,
    } as const;
    return retry<Answer>(
      async (): Promise<TryOutcome<Answer>> => {
        try {
          const response = await http.send(request);
          const text = await response.text();
          if (response.status === 200) return { kind: "done", result: this.#read(text) };
          const error = this.#refused(response.status, text);
          if (response.status !== 429 && response.status < 500) throw error;
          const seconds = Number(response.header("retry-after") ?? Number.NaN);
          const afterMs = Number.isFinite(seconds) ? 1000 * seconds : null;
          return { kind: "failed", error, afterMs };
        } catch (error) {
          if (!isAppError(error, "transport")) throw error;
          return { kind: "failed", error: this.#failed(`does not answer: ${errorMessage(error)}`) };
        }
      },
      { clock, random, signal, backoff: BACKOFF, maxTries: MAX_TRIES },
    );
  }

  #read(text: string): Answer {
    const parsed = reply.safeParse(parseJson(text)?.value).data;
    if (parsed !== undefined) return parsed.choices[0].message;
    throw this.#failed("gave an answer that is not a chat completion");
  }

  #refused(status: number, text: string): AppError {
    const { key, model } = this.#options;
    const said = text.trim().replace(/\s+/g, " ").slice(0, 300);
    const own = said === "" ? "" : ` It says: ${said}`;
    if (status === 401 || status === 403) {
      const what =
        key === null
          ? "wants a key: name its variable with --key"
          : `refused the key in ${key.name}`;
      return this.#failed(`${what} (status ${status}).${own}`);
    }
    if (status === 404) {
      return this.#failed(
        `has no chat completions there, or no model ${model} (status 404). The address ends before /chat/completions, often with /v1.${own}`,
      );
    }
    return this.#failed(`answered with status ${status}.${own}`);
  }

  #failed(what: string): AppError {
    const { origin } = new URL(this.#options.url);
    return new AppError("player-failed", `${origin} ${what}`);
  }
}

const NO_ARGUMENTS = { type: "object", properties: {} };
