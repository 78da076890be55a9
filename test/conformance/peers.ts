/** The implementations that ours is compared with: one table row each, in this order. A new file of checks needs a row here. */

import { readFileSync } from "node:fs";

export interface Peer {
  /** Beginning of the test file's path below `test/`. */
  readonly file: string;
  /** A part of the tests' full names, if a file has several peers; absent = all. */
  readonly tests?: string;
  readonly name: string;
  readonly version: string;
}

const pins = readFileSync(new URL("requirements.txt", import.meta.url), "utf8");

/** The version of a Python package in this suite. */
function pinned(name: string): string {
  const version = new RegExp(`^${name}==(\\S+)$`, "m").exec(pins)?.[1];
  if (version === undefined) throw new Error(`requirements.txt pins no ${name}`);
  return version;
}

const TINKER = pinned("tinker");
const OPENREWARD = pinned("openreward");
const ORS_SDK = pinned("ors-sdk");

/** Installed in a separate environment, with the kit's pins. */
const WANDB = "0.31.0";

export const CHAT_FAMILIES = [
  ...["qwen3.5", "nemotron3", "gpt-oss", "deepseek-v3.1", "deepseek-v4.1", "kimi"],
  ...["inkling", "llama3", "glm", "qwen3", "qwen2.5", "base"],
];

export const PEERS: readonly Peer[] = [
  {
    file: "conformance/chat/tokenizers",
    name: "our tokenizers versus tml-renderers and tiktoken",
    version: "0.2.1, 0.14.0",
  },
  { file: "conformance/tinkerServer", name: "tinker drives our engine", version: TINKER },
  {
    file: "conformance/tinkerClient",
    name: "our client versus a recording of tinker",
    version: TINKER,
  },
  {
    file: "conformance/tinkerDownload",
    name: "downloads and changes of checkpoints versus tinker's",
    version: TINKER,
  },
  {
    file: "conformance/tinkerImages",
    name: "our images on the wire versus tinker's",
    version: TINKER,
  },
  {
    file: "conformance/orsClient",
    tests: "server of openreward",
    name: "our client in environments of openreward",
    version: OPENREWARD,
  },
  {
    file: "conformance/orsClient",
    tests: "server of ors-sdk",
    name: "our client in environments of ors-sdk",
    version: ORS_SDK,
  },
  {
    file: "conformance/trainOfficial",
    tests: "server of openreward",
    name: "our trainer in environments of openreward",
    version: OPENREWARD,
  },
  {
    file: "conformance/trainOfficial",
    tests: "server of ors-sdk",
    name: "our trainer in environments of ors-sdk",
    version: ORS_SDK,
  },
  {
    file: "conformance/orsServer",
    name: "openreward and ors-sdk drive our server",
    version: `${OPENREWARD}, ${ORS_SDK}`,
  },
  {
    file: "conformance/servedEnvironments",
    name: "both drive our own environments",
    version: `${OPENREWARD}, ${ORS_SDK}`,
  },
  {
    file: "conformance/environmentTemplates",
    name: "our client in the environments of `env new`",
    version: OPENREWARD,
  },
  {
    file: "conformance/bridges",
    name: "environments of reasoning-gym, textarena, verifiers and openenv-core, over our bridge",
    version: "0.1.25, 0.7.4, 0.4.0, 0.3.0",
  },
  {
    file: "crossChecks/rolloutUpload.",
    name: "our uploads versus a recording of openreward",
    version: OPENREWARD,
  },
  {
    file: "crossChecks/rolloutUploadRun",
    name: "our trainer at a fake of the same service",
    version: OPENREWARD,
  },
  {
    file: "crossChecks/wandbConformance",
    name: "our runs at W&B versus wandb's",
    version: WANDB,
  },
  {
    file: "crossChecks/wandbOffline",
    name: "wandb sync uploads our offline runs",
    version: WANDB,
  },
  {
    file: "crossChecks/wandbTrain",
    name: "our trainer at a fake of the same service",
    version: WANDB,
  },
  {
    file: "conformance/chat/tokenizers",
    name: "our tokenizers versus recorded texts",
    version: "",
  },
  {
    file: "conformance/chat/sampledIsTrained",
    name: "sampled tokens equal trained tokens, in every chat format",
    version: "",
  },
  {
    file: "conformance/chat/arguments",
    name: "arguments of every kind, from every chat format into openreward",
    version: OPENREWARD,
  },
  {
    file: "conformance/chat/wholeRuns",
    name: "whole runs in every chat format, killed and resumed",
    version: "",
  },
  {
    file: "conformance/chat/writtenTurns",
    name: "demonstrated turns parse back unchanged, in every chat format",
    version: "",
  },
  {
    file: "conformance/chat/supervisedExamples",
    name: "conversations as training data versus tinker-cookbook",
    version: "0.6.1",
  },
  {
    file: "conformance/chat/hostileText",
    name: "hostile text of environments, in every chat format",
    version: "",
  },
  ...CHAT_FAMILIES.map((family) => ({
    file: "conformance/chat/formats",
    tests: `family ${family} `,
    name: `chat format ${family}, versus the vendors' renderers`,
    version: "",
  })),
];

/** The row of a test, by its file's path and its full name. */
export function peerOf(file: string, fullName: string): Peer | undefined {
  return PEERS.find(
    (peer) => file.includes(`/test/${peer.file}`) && fullName.includes(peer.tests ?? ""),
  );
}
