/** The services of the secrets drill: they note all that they are sent, and give back keys and secrets wherever they can. */

import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { StandInServer } from "../core/wandb/standInServer.ts";
import { chained, renaming } from "../integration/tinkerServersGaps.ts";
import {
  type Filter,
  type PassingAnswer,
  type PassingRequest,
  startGateway,
  upstreamOf,
} from "../integration/tinkerServersProxy.ts";
import { listenAnywhere } from "../integration/tinkerServersStub.ts";
import type { Serving } from "../integration/trainProgram.ts";
import { ENCODINGS } from "./secretsSearch.ts";

/** `grumbles`: now and then an error that repeats the key; `denies`: always. */
export type Mood = "well" | "grumbles" | "denies";

export interface StandIn {
  readonly name: string;
  readonly url: string;
  /** Everything that came but the key that belongs here: a request each. */
  readonly sent: Buffer[];
  mood: Mood;
  close(): void;
}

export interface StandIns {
  readonly tinker: StandIn;
  readonly environments: StandIn;
  readonly wandb: StandIn;
  readonly upload: StandIn;
}

/** The keys that each of them wants. */
export interface StandInKeys {
  readonly tinker: string;
  readonly environments: string;
  readonly wandb: string;
  readonly upload: string;
  /** Values that the environments may get. */
  readonly environmentSecrets: readonly string[];
}

/** What the model is called there: names that begin with `local/` are embedded. */
export const MODEL = "Org/Tiny-tool-1";
/** Of requests, the share that a grumbling service refuses. */
const GRUMBLES_EVERY = 5;
/** So long that a message which is cut ends amid a key. */
const REPEATS = 60;

export async function startStandIns(serving: Serving, keys: StandInKeys): Promise<StandIns> {
  const rename = renaming("local/tiny-tool", MODEL);
  return {
    tinker: await gateway("Tinker", serving.tinkerUrl, serving.key, keys.tinker, rename),
    environments: await gateway(
      "the environments",
      serving.environmentsUrl,
      serving.key,
      keys.environments,
      echoing(keys.environmentSecrets),
    ),
    wandb: await wandb(keys.wandb),
    upload: await upload(keys.upload),
  };
}

class Notes {
  readonly sent: Buffer[] = [];
  mood: Mood = "well";
  readonly #key: string;
  #asked = 0;

  constructor(key: string) {
    this.#key = key;
  }

  /** Notes a request; an answer in its place when the key is wrong or the mood is bad. */
  take({ method, path, headers, body }: PassingRequest): PassingAnswer | null {
    const { kept, isKnown } = withoutKey(headers, this.#key);
    this.sent.push(Buffer.concat([Buffer.from(`${method} ${path}\n${kept}\n\n`), body]));
    if (/\/health|\/healthz$/.test(path)) return null;
    if (!isKnown) return fault(401, "another key was expected");
    this.#asked += 1;
    const words = () => rudeWords(this.#key, this.#asked);
    if (this.mood === "denies") return fault(401, words());
    const isDue = this.mood === "grumbles" && this.#asked % GRUMBLES_EVERY === 0;
    return isDue ? fault(503, words()) : null;
  }
}

/** The headers as text, and whether the key was among them where it belongs. */
function withoutKey(headers: IncomingHttpHeaders, key: string) {
  const basic = `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
  const isKey = (value: string): boolean => value === key || value === basic;
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const others = entries.filter(([, value]) => !isKey(value));
  return {
    kept: others.map(([name, value]) => `${name}: ${value}`).join("\n"),
    isKnown: others.length < entries.length,
  };
}

/** What a service gives back in part it has hidden itself. */
const WHOLE = Object.entries(ENCODINGS).flatMap(([name, forms]) =>
  name === "beginning" || name === "end" ? [] : [forms],
);

/** A key again and again, each time written in another way. */
export function rudeWords(key: string, turn: number): string {
  const [raw, ...others] = [
    () => [key],
    ...WHOLE,
    () => [Buffer.from(`Basic api:${key}`).toString("base64")],
  ];
  const form = [raw, ...others][turn % (others.length + 1)]?.(key)[0] ?? key;
  return `Bearer ${form}${form.repeat(REPEATS)}`;
}

function fault(status: number, words: string): PassingAnswer {
  const body = { detail: words, message: words, error: words, errors: [{ message: words }] };
  return { status, type: "application/json", body: Buffer.from(JSON.stringify(body)) };
}

/** A gateway that wants a key of its own, and shows the server behind it the one that is wanted there. */
async function gateway(
  name: string,
  url: string,
  innerKey: string,
  key: string,
  filter: Filter,
): Promise<StandIn> {
  const notes = new Notes(key);
  const own: Filter = {
    request: (passing) => {
      const headers = { ...passing.headers, "x-api-key": innerKey };
      return notes.take(passing) ?? { ...passing, headers };
    },
    answer: (answer) => answer,
  };
  const opened = await startGateway({
    ...{ upstream: upstreamOf(url), prefix: "" },
    filter: chained(own, filter),
  });
  return Object.assign(notes, { name, url: opened.url, close: () => opened.close() });
}

/** Tools that answer with the secrets that they were given, in what the model reads, in what is noted, and in their failures. */
function echoing(secrets: readonly string[]): Filter {
  let calls = 0;
  return {
    request: (passing) => {
      // The secrets belong here, so they are no finding; any other is.
      const headers = { ...passing.headers };
      return { ...passing, headers };
    },
    answer: (answer, { path }) => {
      if (!/\/call$/.test(path) || !answer.type.startsWith("text/event-stream")) return answer;
      calls += 1;
      return { ...answer, body: Buffer.from(echoed(answer.body.toString("utf8"), calls)) };
    },
  };

  function echoed(stream: string, turn: number): string {
    if (turn % 9 === 0) return `event: error\ndata: the tool failed: ${allWords(turn)}\n\n`;
    return stream.replace(/^event: end\ndata: (\{.*\})$/m, (whole, json: string) => {
      const reply = JSON.parse(json);
      if (reply.ok !== true) return whole;
      const words = secrets[turn % secrets.length] ?? "";
      reply.output.blocks = [...reply.output.blocks, { type: "text", text: words, detail: null }];
      reply.output.metadata = { ...reply.output.metadata, [words]: allWords(turn) };
      return `event: end\ndata: ${JSON.stringify(reply)}`;
    });
  }

  function allWords(turn: number): string {
    return secrets.map((secret) => rudeWords(secret, turn).slice(0, 5_000)).join(" ");
  }
}

async function wandb(key: string): Promise<StandIn> {
  const server = new StandInServer();
  return listening("W&B", key, async ({ method, path, headers, body }) => {
    const { authorization } = headers;
    const answer = await server.send({
      method: method === "PUT" ? "PUT" : "POST",
      url: `http://localhost${path}`,
      headers: { ...(authorization !== undefined && { authorization }) },
      body: body.toString("utf8"),
    });
    const text = Buffer.from(await answer.text());
    return { status: answer.status, type: "application/json", body: text };
  });
}

/** Takes every event, and knows no rollout when it is asked. */
async function upload(key: string): Promise<StandIn> {
  return listening("the upload", key, async ({ method }) => ({
    ...{ status: method === "POST" ? 200 : 404, type: "application/json" },
    body: Buffer.from("{}"),
  }));
}

async function listening(
  name: string,
  key: string,
  answer: (request: PassingRequest) => Promise<PassingAnswer>,
): Promise<StandIn> {
  const notes = new Notes(key);
  const listener: RequestListener = async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = "GET", url: path = "", headers } = request;
    const passing = { method, path, headers, body: Buffer.concat(parts) };
    // Files go to where the server said, without the key.
    const isFile = method === "PUT" && headers.authorization === undefined;
    const refusal = isFile ? note(passing) : notes.take(passing);
    const { status, type, body } = refusal ?? (await answer(passing));
    response.writeHead(status, { "content-type": type }).end(body);
  };
  const note = ({ path, body }: PassingRequest): null => {
    notes.sent.push(Buffer.concat([Buffer.from(`PUT ${path}\n\n`), body]));
    return null;
  };
  const server = createServer((request, response) => void listener(request, response));
  const url = await listenAnywhere(server);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(notes, { name, url, close });
}
