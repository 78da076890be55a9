/** A checkpoint as a reference artifact, which holds its addresses but no data: `docs/protocols/wandb.md#artifacts`. */

import type { StartHash } from "../../../ports.ts";
import type { CheckpointEntry } from "../../../runFolder/checkpointLog.ts";

export interface ReferenceArtifact {
  /** Artifacts with the same name are consecutive versions. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** As JSON. */
  readonly metadata: string;
  /** Hex MD5 of its entries. */
  readonly digest: string;
  readonly manifest: string;
  /** Base64 MD5 of the manifest. */
  readonly manifestDigest: string;
}

/** Null for a checkpoint without addresses. */
export function checkpointArtifact(
  runId: string,
  { name, step, kind, state_path, sampler_path }: CheckpointEntry,
  startHash: StartHash,
): ReferenceArtifact | null {
  // Sorted by name, which the digest depends on.
  const references = Object.entries({ sampler: sampler_path, state: state_path }).flatMap(
    ([entry, path]) => (path === null ? [] : [[entry, path] as const]),
  );
  if (references.length === 0) return null;
  const contents = references.map(([entry, path]) => [
    entry,
    { digest: path, ref: path, size: 0, skip_cache: false },
  ]);
  const manifest = JSON.stringify({
    version: 1,
    storagePolicy: "wandb-storage-policy-v1",
    storagePolicyConfig: { storageLayout: "V2" },
    contents: Object.fromEntries(contents),
  });
  const lines = references.map(([entry, path]) => `${entry}:${path}\n`);
  const digest = md5(startHash, `wandb-artifact-manifest-v1\n${lines.join("")}`);
  return {
    name: `checkpoints-${runId}`,
    aliases: ["latest", `step-${step}`],
    metadata: JSON.stringify({ name, step, kind }),
    digest: hexOf(digest),
    manifest,
    manifestDigest: md5(startHash, manifest),
  };
}

/** As Base64. */
function md5(startHash: StartHash, text: string): string {
  const hash = startHash("md5");
  hash.update(new TextEncoder().encode(text));
  return hash.base64();
}

function hexOf(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(
    "",
  );
}
