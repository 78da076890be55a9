/** The services of the secrets test: they record everything they receive, and echo keys and secrets wherever they can. */

import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { FakeWandbServer } from "../core/tracking/wandb/fakeWandbServer.ts";
import { type Served, serveHere } from "../fakes/serveHere.ts";
import { chained, renaming } from "../integration/tinkerServersGaps.ts";
import {
  type Filter,
  type PassingAnswer,
  type PassingRequest,
  startGateway,
} from "../integration/tinkerServersProxy.ts";
import type { Serving } from "../integration/trainProgram.ts";
import { ENCODINGS } from "./secretsSearch.ts";

/** `grumbles`: occasionally an error that repeats the key; `denies`: always; `redirects`: everything is redirected to a stranger. */
export type Mood = "well" | "grumbles" | "denies" | "redirects";

export interface FakeService extends Served {
  readonly name: string;
  /** Everything received except the key that belongs here: one entry per request. */
  readonly sent: Buffer[];
  mood: Mood;
}

export interface FakeServices {
  readonly tinker: FakeService;
  readonly environments: FakeService;
  readonly wandb: FakeService;
  readonly upload: FakeService;
  readonly hub: FakeService;
  /** The redirect target; no key belongs there. */
  readonly stranger: FakeService;
}

/** The key that each of them requires. */
export interface FakeServiceKeys {
  readonly tinker: string;
  /** The token that the Tinker service issues for the key. */
  readonly tinkerToken: string;
  readonly environments: string;
  readonly wandb: string;
  readonly upload: string;
  readonly hub: string;
  /** Values that the environments may receive. */
  readonly environmentSecrets: readonly string[];
}

/** The model's name there: names that begin with `local/` are embedded. */
export const MODEL = "Org/Tiny-tool-1";
/** One in this many of the first requests is rejected. Later requests are many, and each rejection costs a wait. */
const GRUMBLES_EVERY = 5;
const GRUMBLES_LATER_EVERY = 20;
const FIRST_REQUESTS = 40;
/** So long that a truncated message is cut in the middle of a key. */
const REPEATS = 60;

export async function startFakeServices(
  serving: Serving,
  keys: FakeServiceKeys,
): Promise<FakeServices> {
  const stranger = await listening("a stranger", new Notes([""], ""), async () => answerOf({}));
  const notes = (...own: readonly string[]) => new Notes(own, stranger.url);
  const rename = renaming("local/tiny-tool", MODEL);
  return {
    stranger,
    tinker: await gateway({
      name: "Tinker",
      url: serving.tinkerUrl,
      innerKey: serving.key,
      notes: notes(keys.tinker, keys.tinkerToken),
      filter: chained(exchanging(keys.tinkerToken), rename),
    }),
    environments: await gateway({
      name: "the environments",
      url: serving.environmentsUrl,
      innerKey: serving.key,
      notes: notes(keys.environments),
      filter: echoing(keys.environmentSecrets),
    }),
    wandb: await listening("W&B", notes(keys.wandb), wandb()),
    hub: await listening("the model hub", notes(keys.hub), async () => answerOf({}, 404)),
    upload: await listening("the upload", notes(keys.upload), async ({ method }) =>
      answerOf({}, method === "POST" ? 200 : 404),
    ),
  };
}

class Notes {
  readonly sent: Buffer[] = [];
  mood: Mood = "well";
  readonly #keys: readonly string[];
  readonly #strangerUrl: string;
  #asked = 0;
  #grumbled = 0;

  /** The keys that belong here, and the redirect target in the mood `redirects`. */
  constructor(keys: readonly string[], strangerUrl: string) {
    this.#keys = keys;
    this.#strangerUrl = strangerUrl;
  }

  /** Records a request; returns an answer if the key is wrong or the mood is bad. */
  take({ method, path, headers, body }: PassingRequest): PassingAnswer | null {
    const { kept, given } = withoutKeys(headers, this.#keys);
    this.sent.push(Buffer.concat([Buffer.from(`${method} ${path}\n${kept}\n\n`), body]));
    // These are asked for without a key.
    if (/\/health$/.test(path) || (method === "PUT" && path.startsWith("/storage/"))) return null;
    if (this.mood === "redirects") return answerOf({}, 307, `${this.#strangerUrl}${path}`);
    if (given === undefined) return fault(401, "another key was expected");
    this.#asked += 1;
    const words = () => {
      this.#grumbled += 1;
      return rudeWords(given, this.#grumbled);
    };
    if (this.mood === "denies") return fault(401, words());
    const every = this.#asked < FIRST_REQUESTS ? GRUMBLES_EVERY : GRUMBLES_LATER_EVERY;
    const isDue = this.mood === "grumbles" && this.#asked % every === 0;
    return isDue ? fault(503, words()) : null;
  }
}

/** The headers as text without a key that belongs here, and that key. */
function withoutKeys(headers: IncomingHttpHeaders, keys: readonly string[]) {
  const basic = (key: string): string => `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
  const keyIn = (value: string) =>
    keys.find((key) => [key, basic(key), `Bearer ${key}`].includes(value));
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const others = entries.filter(([, value]) => keyIn(value) === undefined);
  return {
    kept: others.map(([name, value]) => `${name}: ${value}`).join("\n"),
    given: entries.map(([, value]) => keyIn(value)).find((key) => key !== undefined),
  };
}

/** A partially redacted value, as some services return. */
const WHOLE = Object.entries(ENCODINGS).flatMap(([name, forms]) =>
  name === "beginning" || name === "end" ? [] : [forms],
);

/** A key in each possible encoding. */
function formsOf(key: string): readonly string[] {
  const basic = Buffer.from(`Basic api:${key}`).toString("base64");
  return [key, ...WHOLE.flatMap((forms) => forms(key).slice(0, 1)), basic];
}

/** A key repeated many times, each time encoded differently. */
export function rudeWords(key: string, turn: number): string {
  const forms = formsOf(key);
  const form = forms[turn % forms.length] ?? key;
  return `Bearer ${form}${form.repeat(REPEATS)}`;
}

function fault(status: number, words: string): PassingAnswer {
  return answerOf(
    { detail: words, message: words, error: words, errors: [{ message: words }] },
    status,
  );
}

function answerOf(content: object, status = 200, location?: string): PassingAnswer {
  const body = Buffer.from(JSON.stringify(content));
  return { status, type: "application/json", body, ...(location !== undefined && { location }) };
}

/** A gateway that requires its own key, and passes the server's own key on to the server behind it. */
async function gateway(options: {
  readonly name: string;
  readonly url: string;
  readonly innerKey: string;
  readonly notes: Notes;
  readonly filter: Filter;
}): Promise<FakeService> {
  const { name, url, innerKey, notes, filter } = options;
  const own: Filter = {
    request: (passing) => {
      const headers = { ...passing.headers, "x-api-key": innerKey, host: new URL(url).host };
      return notes.take(passing) ?? { ...passing, headers };
    },
    answer: (answer) => answer,
  };
  const opened = await startGateway({ upstream: url, prefix: "", filter: chained(own, filter) });
  return Object.assign(notes, { name, url: opened.url, close: () => opened.close() });
}

/** Issues a short-lived token for the key, like the hosted service. */
function exchanging(jwt: string): Filter {
  return {
    request: (passing) => (/\/auth\/token$/.test(passing.path) ? answerOf({ jwt }) : passing),
    answer: (answer, { path }) => {
      if (!/\/client\/config$/.test(path)) return answer;
      const flags = JSON.parse(answer.body.toString("utf8"));
      return answerOf({ ...flags, pjwt_auth_enabled: true });
    },
  };
}

/** An environment that echoes the secrets in its prompts, tools, answers, metadata, and errors. */
function echoing(secrets: readonly string[]): Filter {
  let turn = 0;
  const allWords = (): string => secrets.flatMap(formsOf).join(" ");
  const next = (): string => {
    turn += 1;
    return secrets[turn % secrets.length] ?? "";
  };

  function result(stream: string): string {
    const words = next();
    if (turn % 9 === 0) return `event: error\ndata: the tool failed: ${allWords()}\n\n`;
    return stream.replace(/^event: end\ndata: (\{.*\})$/m, (whole, json: string) => {
      const reply = JSON.parse(json);
      if (reply.ok !== true) return whole;
      reply.output.blocks.push(textBlock(words));
      reply.output.metadata = { ...reply.output.metadata, [words]: allWords() };
      return `event: end\ndata: ${JSON.stringify(reply)}`;
    });
  }

  function echoed(path: string, text: string): string {
    if (/\/call$/.test(path)) return result(text);
    if (/\/prompt$/.test(path)) return JSON.stringify([...JSON.parse(text), textBlock(next())]);
    if (!/\/(task_)?tools$/.test(path)) return text;
    const reply = JSON.parse(text);
    for (const tool of reply.tools) tool.description += ` ${secrets[0]}`;
    return JSON.stringify(reply);
  }

  return {
    request: (passing) => passing,
    answer: (answer, { path }) =>
      answer.status === 200
        ? { ...answer, body: Buffer.from(echoed(path, answer.body.toString("utf8"))) }
        : answer,
  };
}

function textBlock(text: string) {
  return { type: "text", text, detail: null };
}

type Answering = (request: PassingRequest) => Promise<PassingAnswer>;

function wandb(): Answering {
  const server = new FakeWandbServer();
  return async ({ method, path, headers, body }) => {
    const { authorization } = headers;
    const answer = await server.send({
      method: method === "PUT" ? "PUT" : "POST",
      url: `http://localhost${path}`,
      headers: { ...(authorization !== undefined && { authorization }) },
      body: body.toString("utf8"),
    });
    const text = Buffer.from(await answer.text());
    return { status: answer.status, type: "application/json", body: text };
  };
}

async function listening(name: string, notes: Notes, answer: Answering): Promise<FakeService> {
  const served = await serveHere(async (request, response) => {
    const { method = "GET", url: path = "", headers } = request;
    const passing = { method, path, headers, body: await buffer(request) };
    const taken = await (notes.take(passing) ?? answer(passing));
    const { status, type, body, location } = taken;
    response
      .writeHead(status, { "content-type": type, ...(location !== undefined && { location }) })
      .end(body);
  });
  return Object.assign(notes, { name, ...served });
}
