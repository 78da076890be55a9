/** Configurations that an assistant may start; each could come from a hostile repository. */

import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { judgeConfig, requirePlainSettings } from "../../../src/server/mcp/judgeConfig.ts";
import type { Permission } from "../../../src/server/mcp/permission.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";
import { NOTHING } from "./anAssistant.ts";

const folder = folderOfAllTests();
const root = join(folder, "project");
beforeAll(async () => {
  await mkdir(root);
  await symlink(folder, join(root, "link"));
});

const LOCAL = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
`;
const own = (server: string): string => `model_name: local/tiny-tool
environments:
  mine: { splits: { train: {} }, num_rollouts: 4, server: ${server} }
batch_size: 4
`;

function judge(
  text: string,
  permission: Partial<Permission> = {},
  file: Readonly<Record<string, string>> = {},
): Promise<void> {
  const path = join(root, "tinker-config.yaml");
  const parsed = parseConfig(text, { path });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  return judgeConfig(parsed.config, path, {
    root,
    permission: { ...NOTHING, ...permission },
    fileValue: async (name) => file[name] ?? null,
  });
}

describe("a configuration that an assistant starts", () => {
  it("may train an embedded model in embedded and hosted environments", async () => {
    await judge(LOCAL);
    await judge(LOCAL.replace("local/calculator", "Owner/Name"));
    await judge(`${LOCAL}log_path: runs\ninit_from: tinker://a/weights/b\n`);
  });

  it.each([
    ["a command", own('{ command: ["sh", "-c", "id"] }')],
    ["an agent", LOCAL.replace("splits:", 'agent: { command: ["sh"] }, splits:')],
    ["a bridge", own("{ bridge: verifiers, id: x }")],
    ["the Python of a bridge", own("{ bridge: verifiers, id: x, python: ./evil }")],
  ])("runs %s only with permission", async (_, text) => {
    await expect(judge(text)).rejects.toThrow("commands to --allow");
    await judge(text, { allowed: new Set(["start", "commands"]) });
  });

  it("sends messages only if the user allows it, whatever .env says", async () => {
    const command = `${LOCAL}notify: [{ command: ["sh", "-c", "id"] }]\n`;
    await expect(judge(command)).rejects.toThrow(/notify\.0\.command .*commands to --allow/);
    await judge(command, { allowed: new Set(["start", "commands"]) });
    const address = `${LOCAL}notify: [{ webhook: "https://evil.test/hook" }]\n`;
    await expect(judge(address)).rejects.toThrow("add --allow-host https://evil.test");
    await judge(address, { origins: [{ origin: "https://evil.test" }] });
    const variable = `${LOCAL}notify: [{ webhook_variable: HOOK }]\n`;
    await expect(judge(variable)).rejects.toThrow("add --allow-secret HOOK");
    await judge(variable, { secrets: ["HOOK"] });
    const planted = judge(variable, { secrets: ["HOOK"] }, { HOOK: "https://evil.test/hook" });
    await expect(planted).rejects.toThrow("add --allow-host https://evil.test");
    const paths = [["notify", "0", "format"]];
    expect(() => requirePlainSettings(paths, false)).toThrow("cannot be set here");
  });

  it("reports the intended key for one that does not exist", () => {
    expect(() => requirePlainSettings([["temperature"]], true)).toThrow(
      "There is no key temperature. Similar: environments.<name>.temperature",
    );
    expect(() => requirePlainSettings([["learning_rat"]], true)).toThrow("Similar: learning_rate");
  });

  it.each([
    ["a server of its own", own("{ url: https://evil.test/a }")],
    ["one on this computer", own("{ url: http://127.0.0.1:80 }")],
    [
      "another model service",
      `${LOCAL.replace("local/tiny-tool", "Qwen/Qwen3-8B")}tinker_base_url: https://evil.test\n`,
    ],
    [
      "an address in what is sent along",
      LOCAL.replace("num_rollouts: 4", "num_rollouts: 4, session_env: { A: https://evil.test/x }"),
    ],
    ["other hosted environments", `${LOCAL}openreward_base_url: https://evil.test\n`],
  ])("sends data to %s only with permission", async (_, text) => {
    await expect(judge(text)).rejects.toThrow("add --allow-host http");
    const origins = [{ origin: "https://evil.test" }, { origin: "http://127.0.0.1" }];
    await judge(text, { origins });
  });

  it.each([
    [
      "tinker_headers.Wandb-Api-Key",
      "WANDB_API_KEY",
      `${LOCAL.replace("local/tiny-tool", "Qwen/Qwen3-8B")}tinker_headers: { Wandb-Api-Key: null }\n`,
    ],
    [
      "environments.mine.server.headers.Tinker-Api-Key",
      "TINKER_API_KEY",
      own("{ url: https://sessions.openreward.ai, headers: { Tinker-Api-Key: null } }"),
    ],
    [
      "environments.mine.server.env.HF_TOKEN",
      "HF_TOKEN",
      own('{ command: ["sh"], env: { HF_TOKEN: null } }'),
    ],
    [
      "environments.local/calculator.agent.env.TINKER_API_KEY",
      "TINKER_API_KEY",
      LOCAL.replace(
        "splits:",
        'agent: { command: ["sh"], env: { TINKER_API_KEY: null } }, splits:',
      ),
    ],
  ])("sends no key of the program, as %s would, without permission", async (key, name, text) => {
    const allowed = new Set(["start", "commands"] as const);
    await expect(judge(text, { allowed })).rejects.toThrow(
      `${key} would hand on ${name}, a key of this program`,
    );
    await judge(text, { allowed, secrets: [name] });
    await judge(text.replace("null", "written"), { allowed });
  });

  it.each([
    ["log_path: /tmp/runs"],
    ["log_path: ../runs"],
    ["log_path: link/new/runs"],
    ["log_path: ~/runs"],
    ["init_from: ../other"],
    ["init_from: link@10"],
    ["tokenizer_name: /etc"],
    ["method: sft\ndata: [{ path: link/chats.jsonl }]"],
    ["method: sft\ndata: [{ run: ../other }]"],
  ])("refers to nothing outside the workspace: %s", async (setting) => {
    await expect(judge(`${LOCAL}${setting}\n`)).rejects.toThrow("leads out of the workspace");
  });

  it("reads no task file outside the workspace", async () => {
    const text = `model_name: local/tiny-tool
environments:
  local/dataset: { tasks: ../../secrets.jsonl, splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
`;
    await expect(judge(text)).rejects.toThrow("leads out of the workspace");
  });
});

describe("settings from an assistant", () => {
  it.each([
    ["learning_rate"],
    ["max_steps"],
    ["loss_fn"],
    ["environments", "local/calculator", "num_rollouts"],
    ["alarms", "parse_success"],
  ])("may set %s", (...path) => {
    requirePlainSettings([path], true);
  });

  it.each([
    ["model_name"],
    ["tinker_base_url"],
    ["log_path"],
    ["secrets", "A"],
    ["prices", "sampled"],
    ["fetch_prices"],
    ["wandb"],
    ["openreward_upload"],
    ["environments"],
    ["environments", "x", "server", "bridge"],
    ["environments", "x", "server", "ready_timeout"],
  ])("never set %s", (...path) => {
    expect(() => requirePlainSettings([["seed"], path], false)).toThrow("cannot be set here");
  });

  it("can lower the budget of a start, but never change that of a run in progress", () => {
    for (const key of ["max_cost_usd", "max_hours", "max_tokens_total"]) {
      requirePlainSettings([[key]], false);
      expect(() => requirePlainSettings([[key]], true)).toThrow("cannot be set here");
    }
  });
});
