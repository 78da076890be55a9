/** The order of folders: a file imports only from its own folder and from folders above it in this list, types included. */

import { dirname, join, normalize } from "node:path";

export const FOLDER_ORDER: readonly string[] = [
  "src/shared",
  // core
  "src/core",
  "src/core/util",
  "src/core/images",
  "src/core/usage",
  "src/core/models",
  "src/core/config",
  "src/core/secrets/redaction",
  "src/core/secrets",
  "src/core/config/editing/text",
  "src/core/config/editing/edits",
  "src/core/config/editing/catalogue",
  "src/core/config/editing/diagnostics",
  "src/core/config/editing/descriptions",
  "src/core/config/editing/completion",
  "src/core/config/editing/display",
  "src/core/config/editing/fixes",
  "src/core/tinker",
  "src/core/openreward",
  "src/core/chat",
  "src/core/chat/parsing",
  "src/core/chat/template",
  "src/core/chat/families",
  "src/core/chat/setup",
  "src/core/runFolder",
  "src/core/search",
  "src/core/changes",
  "src/core/alarms",
  "src/core/timeline",
  "src/core/tracking/openreward",
  "src/core/tracking/wandb/log",
  "src/core/tracking/wandb",
  "src/core/compare",
  "src/core/runs",
  "src/core/sweeps",
  "src/core/estimate",
  "src/core/outputs",
  "src/core/weights",
  "src/core/rollout",
  "src/core/conversation",
  "src/core/serverChecks",
  "src/core/training",
  // Node
  "src/node",
  "src/node/tokenizer",
  "src/node/control",
  "src/node/texts",
  // embedded engine and environments
  "src/local",
  "src/local/engine/kernels",
  "src/local/engine",
  "src/local/engine/random",
  "src/local/engine/service/http",
  "src/local/engine/service/wire",
  "src/local/engine/service/checkpoints",
  "src/local/engine/service/models",
  "src/local/engine/service/sampling",
  "src/local/engine/service/operations",
  "src/local/engine/service/routes",
  "src/local/engine/service",
  "src/local/environment",
  "src/local/environment/server",
  // trainer and terminal
  "src/trainer/services",
  "src/trainer/config",
  "src/trainer/control",
  "src/trainer/tracking",
  "src/trainer",
  "src/trainer/checkpoints",
  "src/trainer/chat",
  "src/cli",
  // the extension
  "src/host/manifest",
  "src/host/vscode",
  "src/host/keys",
  "src/host/config",
  "src/host/runs",
  "src/host/task",
  "src/host/views",
  "src/host/dashboard",
  "src/host/chat",
  "src/host/runsPage",
  "src/host/catalogue",
  "src/host/tools",
  "src/host/commands",
  "src/host/app",
  "src/host",
  "src",
  // the dashboard's page
  "webview-ui/strings",
  "webview-ui/charts",
  "webview-ui/model",
  "webview-ui/text",
  "webview-ui/controls",
  "webview-ui/search",
  "webview-ui/changes",
  "webview-ui/views",
  "webview-ui/chat",
  "webview-ui/runs",
  "webview-ui",
];

const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*"(\.{1,2}\/[^"]+)"/g;

/** Faults of the imports in one file, whose path is relative to the root of the repository. */
export function folderFaults(path: string, text: string): readonly string[] {
  const folder = dirname(path);
  const own = FOLDER_ORDER.indexOf(folder);
  if (own === -1) return [`lies in ${folder}, which has no place in scripts/folderOrder.ts.`];
  return [...text.matchAll(IMPORTED)].flatMap(([, specifier = ""]) => {
    const imported = dirname(normalize(join(folder, specifier)));
    if (!/^(?:src|webview-ui)(?:\/|$)/.test(imported)) return [];
    const other = FOLDER_ORDER.indexOf(imported);
    if (other !== -1 && other <= own) return [];
    return [`imports from ${imported}, which comes after ${folder} in scripts/folderOrder.ts.`];
  });
}
