/** Downloads individual files from the model hub; its token is never sent to hosts it redirects to. */

import * as z from "zod";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { HttpClient, HttpResponse } from "../../core/ports.ts";
import { REPLY_LIMITS } from "../../core/replyLimits.ts";
import { isCommit } from "./hubCache.ts";

export interface DownloadProgress {
  readonly file: string;
  readonly receivedBytes: number;
  /** Null if the hub does not report it. */
  readonly totalBytes: number | null;
}

export interface HubAccess {
  readonly http: HttpClient;
  readonly endpoint: string;
  readonly token: string | null;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

interface HubFile {
  readonly bytes: Uint8Array;
  /** The commit that the hub resolved the revision to; null if it does not report it. */
  readonly commit: string | null;
}

interface Repository {
  /** `<org>/<model>`. */
  readonly id: string;
  readonly revision: string;
}

interface RepositoryFile extends Repository {
  readonly file: string;
}

/** https://huggingface.co/docs/hub/api */
const listing = z.looseObject({ siblings: z.array(z.looseObject({ rfilename: z.string() })) });

const FILE_TIMEOUT_MS = 600_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ADVICE =
  "Or put the vocabulary (tokenizer.json or tiktoken.model), tokenizer_config.json and chat_template.jinja into a folder and set `tokenizer_name` to it.";

/**
 * One file; null if the hub does not have it.
 * @throws AppError `tokenizer-gated` if the hub denies access, `tokenizer-download` for any other failure; the reason of `signal` if
 * aborted
 */
export async function downloadHubFile(
  access: HubAccess,
  file: RepositoryFile,
): Promise<HubFile | null> {
  try {
    const { response, commit, storageHost } = await follow(access, fileUrl(access, file));
    // Drain the body: an unread answer keeps its connection and timer open, and with them the process.
    if (response.status !== 200) await response.bytes();
    const { status } = response;
    if (storageHost !== null && status !== 200) {
      throw failed(file, `${storageHost}, which the hub sends to, answered ${status}`);
    }
    if (status === 404) return null;
    if (status === 401 || status === 403) throw refused(access, file, response);
    if (status !== 200) throw failed(file, `the hub answered ${status}`);
    return { bytes: await readBody(access, file, response), commit };
  } catch (error) {
    access.signal?.throwIfAborted();
    if (error instanceof AppError && error.code.startsWith("tokenizer-")) throw error;
    throw failed(file, errorMessage(error), error);
  }
}

/** All file names, sorted; empty if the hub does not list them. @throws the reason of `signal` if aborted */
export async function listHubFiles(
  access: HubAccess,
  { id, revision }: Repository,
): Promise<readonly string[]> {
  const url = `${access.endpoint}/api/models/${id}/revision/${encodeURIComponent(revision)}`;
  try {
    const { response } = await follow(access, new URL(url));
    const body = await response.bytes();
    if (response.status !== 200) return [];
    const { siblings } = listing.parse(JSON.parse(new TextDecoder().decode(body)));
    return siblings
      .map(({ rfilename }) => rfilename)
      .filter(isPlainName)
      .sort();
  } catch {
    access.signal?.throwIfAborted();
    // Not every hub supports listing; the caller reports what is missing.
    return [];
  }
}

/** A plain file name that cannot lead out of the folder. */
function isPlainName(name: string): boolean {
  return /^\w[\w.-]*$/.test(name);
}

function fileUrl({ endpoint }: HubAccess, { id, revision, file }: RepositoryFile): URL {
  return new URL(`${endpoint}/${id}/resolve/${encodeURIComponent(revision)}/${file}`);
}

interface Answer {
  readonly response: HttpResponse;
  readonly commit: string | null;
  /** The host that answered, if it is not the hub itself. */
  readonly storageHost: string | null;
}

/** Follows redirects manually, so that headers for the hub are not sent to its storage hosts. */
async function follow(access: HubAccess, start: URL): Promise<Answer> {
  const hub = new URL(access.endpoint).origin;
  let url = start;
  let commit: string | null = null;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const isHub = url.origin === hub;
    const response = await get(access, url, isHub);
    const named = isHub ? response.header("x-repo-commit") : null;
    if (named !== null && isCommit(named)) commit = named;
    const next = redirectOf(response, url);
    if (next === null) return { response, commit, storageHost: isHub ? null : url.host };
    await response.bytes();
    url = next;
  }
  throw new Error(`the hub redirected more than ${MAX_REDIRECTS} times`);
}

function get({ http, token, signal }: HubAccess, url: URL, isHub: boolean): Promise<HttpResponse> {
  return http.send({
    method: "GET",
    url: url.href,
    headers: isHub && token !== null ? { authorization: `Bearer ${token}` } : {},
    timeoutMs: FILE_TIMEOUT_MS,
    replyLimit: {
      bytes: REPLY_LIMITS.hubFile,
      fault: (limit) => new Error(`it is longer than ${limit}`),
    },
    signal,
  });
}

/** The target of a redirect; null if the answer is not a redirect. */
function redirectOf(response: HttpResponse, from: URL): URL | null {
  const location = response.header("location");
  if (!REDIRECTS.has(response.status) || location === null) return null;
  const next = new URL(location, from);
  if (from.protocol === "https:" && next.protocol !== "https:") {
    throw new Error("the hub redirects to an address without encryption");
  }
  return next;
}

async function readBody(
  { onProgress }: HubAccess,
  { file }: RepositoryFile,
  response: HttpResponse,
): Promise<Uint8Array> {
  const length = response.header("content-length");
  const totalBytes = length === null ? null : Number(length);
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  for await (const chunk of response.stream()) {
    chunks.push(chunk);
    receivedBytes += chunk.length;
    onProgress?.({ file, receivedBytes, totalBytes });
  }
  return Buffer.concat(chunks);
}

function refused(
  { endpoint, token }: HubAccess,
  { id }: RepositoryFile,
  { status }: HttpResponse,
): AppError {
  const remedy =
    token === null
      ? "set HF_TOKEN to an access token of an account that may read it"
      : "use an HF_TOKEN of an account that may read it";
  return new AppError(
    "tokenizer-gated",
    `The Hugging Face Hub does not provide ${id} (${status}): it is gated, private, or does not exist. Check the name, accept its license at ${endpoint}/${id}, and ${remedy}. ${ADVICE}`,
    { configPath: "tokenizer_name", data: { id, status } },
  );
}

function failed({ id, file }: RepositoryFile, reason: string, cause?: unknown): AppError {
  return new AppError(
    "tokenizer-download",
    `${file} of ${id} could not be downloaded: ${reason.replace(/\.$/, "")}. Start again when the Hugging Face Hub can be reached. ${ADVICE}`,
    { cause, configPath: "tokenizer_name", data: { id, file } },
  );
}
