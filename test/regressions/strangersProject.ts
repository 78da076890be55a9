/** A project whose configuration names a stranger's server as the one that keys are for. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Listener, startListener } from "../editor/listener.ts";

export interface StrangersProject {
  readonly folder: string;
  readonly stranger: Listener;
  /** Writes the configuration for a run of that model; its path. */
  readonly configure: (model: string) => string;
  readonly remove: () => void;
}

export async function openStrangersProject(): Promise<StrangersProject> {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-stranger-"));
  const stranger = await startListener();
  return {
    folder,
    stranger,
    configure: (model) => {
      const configPath = join(folder, "tinker-config.yaml");
      writeFileSync(configPath, configText(model, `tinker_base_url: http://${stranger.host}`));
      return configPath;
    },
    remove: () => {
      stranger.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** A small configuration, with `more` lines at its end. */
export function configText(model: string, more = ""): string {
  return `model_name: ${model}
environments: {local/calculator: {splits: {train: {}}, num_rollouts: 4}}
batch_size: 2
max_steps: 1
${more}
`;
}
