/** Names of runs and checkpoints, and their `tinker://` paths: `docs/protocols/tinker.md#paths`. */

import { CHECKPOINT_KINDS, type CheckpointKind } from "../../../../core/tinker/paths.ts";
import { userFault } from "../http/faults.ts";

export interface CheckpointKey {
  readonly runId: string;
  readonly kind: CheckpointKind;
  readonly name: string;
}

const SCHEME = "tinker://";
const RUN_ID = /^[A-Za-z0-9_-]{1,64}:train:[0-9]{1,9}$/;
const NAME = /^[A-Za-z0-9_-]{1,255}$/;

export function tinkerPath(key: CheckpointKey): string {
  return `${SCHEME}${key.runId}/${key.kind}/${key.name}`;
}

/** @throws AppError `invalid-request` for anything but `tinker://RUN/KIND/NAME` */
export function parseTinkerPath(path: string): CheckpointKey {
  const [runId = "", kind = "", name = "", ...rest] = path.startsWith(SCHEME)
    ? path.slice(SCHEME.length).split("/")
    : [];
  if (rest.length > 0) throw notAPath(path);
  return checkpointKey(runId, kind, name, path);
}

/** Null if no checkpoint of this server can have the path. */
export function findKey(path: string): CheckpointKey | null {
  try {
    return parseTinkerPath(path);
  } catch {
    return null;
  }
}

/** @throws AppError `invalid-request` if a part is malformed */
export function checkpointKey(
  runId: string,
  kind: string,
  name: string,
  shown = `${runId}/${kind}/${name}`,
): CheckpointKey {
  if (!isRunId(runId) || !isCheckpointKind(kind) || !isCheckpointName(name)) throw notAPath(shown);
  return { runId, kind, name };
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

export function isCheckpointName(text: string): boolean {
  return NAME.test(text);
}

function isCheckpointKind(text: string): text is CheckpointKind {
  return CHECKPOINT_KINDS.some((kind) => kind === text);
}

function notAPath(shown: string): Error {
  return userFault(
    `${shown} is not a checkpoint of this server. A path reads tinker://RUN/weights/NAME or ` +
      "tinker://RUN/sampler_weights/NAME, with a NAME of letters, digits, _ and -.",
  );
}
