/** The parts of a W&B server that tests of the tracker need: it stores lines by offset and records protocol violations. */

import { AppError } from "../../../../src/core/errors.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../../../src/core/ports.ts";

/** What happens to a request. `lost-answer`: it takes effect, but its answer never arrives. */
export type Fault = "lost" | "lost-answer" | "html" | { readonly status: number };

export interface FakeWandbRun {
  readonly name: string;
  displayName: string | null;
  config: string;
  readonly files: Map<string, Map<number, string>>;
  readonly uploads: Map<string, string>;
  /** Committed artifacts, by digest. */
  readonly artifacts: Map<string, { readonly aliases: readonly string[]; readonly name: string }>;
  exitCode: number | null;
  attempts: number;
}

interface ArtifactInput {
  readonly artifactCollectionName?: string;
  readonly runName?: string;
  readonly digest?: string;
  readonly artifactID?: string;
  readonly aliases?: readonly { readonly alias: string }[];
}

interface StreamBody {
  readonly files?: Readonly<
    Record<string, { readonly offset: number; readonly content: readonly string[] }>
  >;
  readonly complete?: boolean;
  readonly exitcode?: number;
}

export class FakeWandbServer implements HttpClient {
  readonly runs = new Map<string, FakeWandbRun>();
  readonly violations: string[] = [];
  readonly requests: HttpRequest[] = [];
  /** Called before each request. */
  fault: (request: HttpRequest) => Fault | null = () => null;
  isStopped = false;
  readonly #created = new Map<string, ArtifactInput>();

  async send(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(request);
    const fault = this.fault(request);
    if (fault === "lost") throw new AppError("transport", "connection reset");
    if (fault === "html") return answer(200, "<html>log in first</html>");
    if (typeof fault === "object" && fault !== null) return answer(fault.status, "{}");
    const response = this.#serve(request);
    if (fault === "lost-answer") throw new AppError("transport", "connection reset");
    return response;
  }

  /** The only run. */
  get run(): FakeWandbRun {
    const [run] = this.runs.values();
    if (run === undefined) throw new Error("The server has no run.");
    return run;
  }

  /** The bodies sent to the file stream. */
  get streamed(): readonly StreamBody[] {
    return this.requests
      .filter(({ url }) => url.endsWith("/file_stream"))
      .map(({ body }) => JSON.parse(String(body)));
  }

  rows(run = this.run): readonly Readonly<Record<string, unknown>>[] {
    return lines(run, "wandb-history.jsonl").map((line) => JSON.parse(line));
  }

  log(run = this.run): readonly string[] {
    return lines(run, "output.log").map((line) => line.replace(/^(ERROR )?\S+ /, "$1"));
  }

  #serve(request: HttpRequest): HttpResponse {
    const { pathname } = new URL(request.url);
    if (request.method === "PUT") return this.#put(request, decodeURIComponent(pathname));
    if (request.headers?.["authorization"] === undefined) return answer(401, "{}");
    const body = JSON.parse(String(request.body));
    if (pathname === "/graphql") return answer(200, JSON.stringify({ data: this.#graphql(body) }));
    const name = pathname.split("/").at(-2) ?? "";
    const run = this.runs.get(name);
    if (run === undefined) return answer(404, "{}");
    this.#stream(run, body);
    return answer(200, JSON.stringify(this.isStopped ? { stopped: true } : {}));
  }

  #put(request: HttpRequest, path: string): HttpResponse {
    if (request.headers?.["authorization"] !== undefined) this.violations.push("key on an upload");
    const [, , name = "", ...rest] = path.split("/");
    const text = new TextDecoder().decode(Buffer.from(request.body ?? ""));
    this.runs.get(name)?.uploads.set(rest.join("/"), text);
    return answer(200, "");
  }

  #graphql({ operationName, variables }: { operationName: string; variables: Variables }): object {
    const name = variables.name ?? variables.run ?? "";
    const run = this.runs.get(name);
    switch (operationName) {
      case "Viewer":
        return { viewer: { id: "user", entity: "ada" } };
      case "RunResumeStatus":
        return { model: { bucket: run === undefined ? null : this.#bucket(run) } };
      case "UpsertBucket":
        return {
          upsertBucket: { bucket: this.#upsert(name, variables), inserted: run === undefined },
        };
      case "CreateArtifact":
        return { createArtifact: { artifact: this.#createArtifact(variables.input) } };
      case "CreateArtifactManifest": {
        const { runName, artifactID } = variables.input ?? {};
        const uploadUrl = `/storage/${runName}/artifact/${artifactID}`;
        const artifactManifest = { id: "m", file: { uploadUrl, uploadHeaders: [] } };
        return { createArtifactManifest: { artifactManifest } };
      }
      case "CommitArtifact":
        return { commitArtifact: { artifact: this.#commit(variables.artifactID ?? "") } };
      default:
        return {
          createRunFiles: {
            uploadHeaders: [],
            files: (variables.files ?? []).map((file) => ({
              name: file,
              uploadUrl: `/storage/${name}/${file}`,
            })),
          },
        };
    }
  }

  #createArtifact(input: ArtifactInput = {}): object {
    const { digest = "", runName = "" } = input;
    const run = this.runs.get(runName);
    if (run?.artifacts.has(digest)) return { id: digest, state: "COMMITTED" };
    this.#created.set(digest, input);
    return { id: digest, state: "PENDING" };
  }

  #commit(id: string): object {
    const {
      runName = "",
      artifactCollectionName: name = "",
      aliases = [],
    } = this.#created.get(id) ?? {};
    const run = this.runs.get(runName);
    if (run?.uploads.has(`artifact/${id}`) !== true) this.violations.push("no manifest");
    run?.artifacts.set(id, { name, aliases: aliases.map(({ alias }) => alias) });
    return { id };
  }

  #upsert(name: string, { displayName, config, project }: Variables): object {
    const run: FakeWandbRun = this.runs.get(name) ?? {
      name,
      displayName: null,
      config: "",
      files: new Map(),
      uploads: new Map(),
      artifacts: new Map(),
      exitCode: null,
      attempts: 0,
    };
    this.runs.set(name, run);
    run.displayName = displayName ?? run.displayName;
    run.config = config ?? run.config;
    return { ...this.#bucket(run), project: { name: project, entity: { name: "ada" } } };
  }

  #bucket(run: FakeWandbRun): object {
    const history = lines(run, "wandb-history.jsonl");
    return {
      id: `id-${run.name}`,
      name: run.name,
      config: run.config,
      historyLineCount: history.length,
      logLineCount: lines(run, "output.log").length,
      historyTail: JSON.stringify(history.slice(-1)),
      summaryMetrics: lines(run, "wandb-summary.json")[0] ?? "{}",
      wandbConfig: '{"t":{}}',
    };
  }

  #stream(run: FakeWandbRun, { files = {}, complete, exitcode }: StreamBody): void {
    for (const [name, { offset, content }] of Object.entries(files)) {
      const known = run.files.get(name) ?? new Map<number, string>();
      run.files.set(name, known);
      if (offset > known.size) this.violations.push(`${name}: a gap before line ${offset}`);
      content.forEach((line, i) => {
        const before = known.get(offset + i);
        if (name === "wandb-history.jsonl" && before !== undefined && before !== line) {
          this.violations.push(`${name}: line ${offset + i} sent again with other text`);
        }
        known.set(offset + i, line);
      });
    }
    if (complete !== true) return;
    run.exitCode = exitcode ?? null;
    run.attempts += 1;
  }
}

interface Variables {
  readonly name?: string;
  readonly run?: string;
  readonly displayName?: string | null;
  readonly config?: string;
  readonly project?: string;
  readonly files?: readonly string[];
  readonly input?: ArtifactInput;
  readonly artifactID?: string;
}

function lines(run: FakeWandbRun, name: string): readonly string[] {
  const known = run.files.get(name) ?? new Map<number, string>();
  return [...known.entries()].sort(([a], [b]) => a - b).map(([, line]) => line);
}

function answer(status: number, text: string): HttpResponse {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    header: () => null,
    bytes: async () => bytes,
    text: async () => text,
    stream: async function* () {
      yield bytes;
    },
  };
}
