/** The hashing ports. */

import { createHash, hash } from "node:crypto";
import type { Sha256, StartHash } from "../core/ports.ts";

export const sha256: Sha256 = (data) => hash("sha256", data);

export const startHash: StartHash = (algorithm) => {
  const hash = createHash(algorithm);
  return { update: (data) => void hash.update(data), base64: () => hash.digest("base64") };
};
