/** `tinker://` paths, which name checkpoints: `docs/protocols/tinker.md#paths`. */

import { AppError } from "../errors.ts";
import { TINKER_CONSOLE_URL, TINKER_URL } from "../services.ts";
import { tinkerError } from "./transport/errors.ts";

const prefix = "tinker://";
export const CHECKPOINT_KINDS = ["weights", "sampler_weights", "external_weights"] as const;

/** `weights` can be trained on, `sampler_weights` only sampled from, `external_weights` are exported files. */
export type CheckpointKind = (typeof CHECKPOINT_KINDS)[number];

interface TinkerPath {
  /** The run's model id; may contain colons. */
  readonly run: string;
  readonly kind: CheckpointKind;
  readonly name: string;
}

/** @throws AppError `bad-arguments` if `text` is not a checkpoint path */
export function parseTinkerPath(text: string): TinkerPath {
  const [run, kindText, name, ...rest] = text.startsWith(prefix)
    ? text.slice(prefix.length).split("/")
    : [];
  const kind = CHECKPOINT_KINDS.find((known) => known === kindText);
  if (!run || kind === undefined || !name || rest.length > 0) {
    throw new AppError(
      "bad-arguments",
      `"${text}" is not a checkpoint path of the form tinker://RUN/weights/NAME or tinker://RUN/sampler_weights/NAME. tinker-rl checkpoints list shows the paths.`,
    );
  }
  return { run, kind, name };
}

export function formatTinkerPath({ run, kind, name }: TinkerPath): string {
  return `${prefix}${run}/${kind}/${name}`;
}

/** @throws AppError `tinker-invalid-input` for a name that some servers reject */
export function checkCheckpointName(name: string): void {
  if (/^[A-Za-z0-9_-]{1,255}$/.test(name)) return;
  throw tinkerError(
    "tinker-invalid-input",
    `"${name}" cannot name a checkpoint: use up to 255 letters, digits, "_" and "-"`,
  );
}

/** @throws AppError `bad-arguments`, `tinker-invalid-input` for a path that training cannot continue from */
export function checkStatePath(path: string): void {
  if (parseTinkerPath(path).kind !== "weights") throw wrongKind(path, "weights");
}

/**
 * Accepts paths without a kind, because some servers name samplers that way.
 * @throws AppError `bad-arguments`, `tinker-invalid-input` for a path of another kind
 */
export function checkSamplerPath(path: string): void {
  if (/^tinker:\/\/[^/]+\/[^/]+$/.test(path)) return;
  if (parseTinkerPath(path).kind !== "sampler_weights") throw wrongKind(path, "sampler_weights");
}

function wrongKind(path: string, kind: CheckpointKind) {
  return tinkerError("tinker-invalid-input", `${path} is not a checkpoint of kind ${kind}`);
}

/** The web page of a checkpoint at `baseUrl`; null if the service has no console. @throws AppError `bad-arguments` */
export function checkpointPage(path: string, baseUrl: string): string | null {
  if (new URL(baseUrl).origin !== new URL(TINKER_URL).origin) return null;
  const { run, kind, name } = parseTinkerPath(path);
  // Kind and name are a single path segment of the page's address.
  const parts = [run, `${kind}/${name}`].map(encodeURIComponent);
  return `${TINKER_CONSOLE_URL}/checkpoints/${parts.join("/")}`;
}
