/** Downloads exported files from signed addresses into a folder, resuming where a broken connection stopped. */

import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { Random, StartHash } from "../ports.ts";
import type { Backoff } from "../util/backoff.ts";
import { parseJson } from "../util/jsonl.ts";
import { retry } from "../util/retry.ts";
import { type ContentDigest, digestOf } from "./contentDigest.ts";
import { checkExportedNames } from "./exportedNames.ts";
import { type Fetched, type FetchOptions, fetchPart } from "./fetchPart.ts";
import { safetensorsFault } from "./safetensors.ts";
import { type AddressOptions, SignedAddresses } from "./signedAddresses.ts";

export interface DownloadOptions extends FetchOptions, AddressOptions {
  readonly random: Random;
  readonly startHash: StartHash;
}

const MAX_TRIES = 6;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 30_000, jitter: 0.25 };

/**
 * Returns the names of the files, all complete and verified. On failure, parts stay as `NAME.part` and the next call resumes
 * them.
 * @throws AppError `download-unsafe`, `download-failed`, `download-damaged`, `disk`, `tinker-*`; the reason of `signal`
 */
export async function downloadFiles(options: DownloadOptions): Promise<readonly string[]> {
  const { files, folder } = options;
  const addresses = new SignedAddresses(options);
  const names = checkExportedNames((await addresses.current()).urls.keys());
  for (const name of names) {
    const path = `${folder}/${name}`;
    if ((await files.size(path)) !== null) continue;
    await files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    const digest = await fetchWhole(options, addresses, name);
    await checkContent(options, name, digest);
    await files.rename(`${path}.part`, path);
  }
  return names;
}

/** Returns the digest that the storage reports. */
async function fetchWhole(
  options: DownloadOptions,
  addresses: SignedAddresses,
  name: string,
): Promise<ContentDigest | null> {
  const { clock, random, signal } = options;
  return await retry<ContentDigest | null>(
    async () => {
      const fetched = await fetchOnce(options, await addresses.of(name), name);
      if (fetched.isComplete) return { kind: "done", result: fetched.digest };
      const { reason, isRefused } = fetched;
      if (isRefused) addresses.forget();
      return { kind: "failed", error: failed(name, reason) };
    },
    { clock, random, signal, backoff: BACKOFF, maxTries: MAX_TRIES },
  );
}

async function fetchOnce(options: DownloadOptions, url: string, name: string): Promise<Fetched> {
  try {
    return await fetchPart(options, url, name);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!isAppError(error, "transport", "timeout")) throw error;
    return { isComplete: false, reason: errorMessage(error), isRefused: false };
  }
}

/** Deletes the part if it is damaged. @throws AppError `download-damaged` if the content does not match its digest or type */
async function checkContent(
  { files, folder, startHash }: DownloadOptions,
  name: string,
  digest: ContentDigest | null,
): Promise<void> {
  const part = `${folder}/${name}.part`;
  let fault: string | null = null;
  if (
    digest !== null &&
    (await digestOf(files, part, { startHash, ...digest })) !== digest.base64
  ) {
    fault = `its ${digest.algorithm === "md5" ? "MD5" : "SHA-256"} does not match that of the storage`;
  } else if (name.endsWith(".safetensors")) fault = await safetensorsFault(files, part);
  else if (name.endsWith(".json") && parseJson(await files.readText(part)) === null) {
    fault = "it is not JSON";
  }
  if (fault === null) return;
  await files.remove(part);
  throw new AppError(
    "download-damaged",
    `${name} arrived damaged: ${fault}. It was deleted; run the command again.`,
    { data: { name } },
  );
}

function failed(name: string, reason: string): AppError {
  return new AppError(
    "download-failed",
    `${name} could not be downloaded: ${reason.replace(/\.$/, "")}. What was downloaded stays in the folder; run the command again to continue.`,
    { data: { name } },
  );
}
