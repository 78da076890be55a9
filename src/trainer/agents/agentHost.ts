/**
 * Plays rollouts with agents: gives each rollout its own endpoint address and key, which serve the policy and the tools of its session,
 * and runs the agent program in a folder of its own.
 */

import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type Agent,
  type AgentConfig,
  type AgentEnd,
  type AgentRollout,
  type AgentTask,
  agentSettings,
} from "../../core/agents/agent.ts";
import { declareTool } from "../../core/chat/firstPrompt.ts";
import { messageJson } from "../../core/chat/openaiMessages.ts";
import { PROTOCOL_VARIABLES } from "../../core/config/fields/agentFields.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import type { Log } from "../../core/ports.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { writeExactJson } from "../../core/util/exactJson.ts";
import { admitLoopbackNames, createHttpServer, keyIn } from "../../local/http/httpServer.ts";
import { closeServer, listen } from "../../local/http/listen.ts";
import { refusal } from "../../local/http/refusal.ts";
import type { ServiceRequest } from "../../local/http/router.ts";
import { sameSecret } from "../../local/http/sameSecret.ts";
import { systemClock } from "../../node/clock.ts";
import { writing } from "../../node/fileSystem.ts";
import { systemRandom } from "../../node/random.ts";
import { VERSION } from "../../shared/version.ts";
import {
  endpointErrorBody,
  endpointRoutes,
  faultRefusal,
  MAX_REQUEST_BYTES,
} from "../endpoint/endpointRoutes.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import { commandVariables } from "../services/serviceAddress.ts";
import type { Variables } from "../services/variables.ts";
import { runAgentProgram, withFolders, withFullPaths, withValues } from "./agentProgram.ts";
import { answerMcp } from "./sessionMcp.ts";

export interface AgentHostOptions {
  readonly config: Config;
  /** Absolute; commands and relative paths start from its folder. */
  readonly configPath: string;
  readonly variables: Variables;
  readonly programs: { readonly folder: string };
  readonly redactor: Redactor;
  readonly log: Log;
  readonly cleanup: CleanupStack;
  readonly signal: AbortSignal;
}

/** A rollout in progress. */
interface Caller {
  readonly key: string;
  readonly rollout: AgentRollout;
}

/** Length limit of a variable or argument in characters; Linux allows 128 KiB. */
const MAX_VARIABLE = 32 * 1024;
const HIDDEN = ".tinker-rl";
const SESSION = "/r/{caller}";

export class AgentHost {
  readonly #options: AgentHostOptions;
  readonly #callers = new Map<string, Caller>();
  /** Address of the endpoint; null until the first agent needs it. */
  #listening: Promise<string> | null = null;

  constructor(options: AgentHostOptions) {
    this.#options = options;
  }

  /** The agent of an environment; null if the built-in loop plays it. @throws AppError `key-missing` */
  agentOf(environment: string): Agent | null {
    const { config, variables, redactor } = this.#options;
    const written = config.environments[environment]?.agent ?? null;
    if (written === null) return null;
    const root = dirname(this.#options.configPath);
    const grader = written.reward_command;
    const own = {
      ...written,
      command: withFullPaths(written.command, root),
      reward_command: grader === null ? null : withFullPaths(grader, root),
      env: withFolders(written.env, root),
    };
    const key = `environments.${environment}.agent`;
    const given = commandVariables(own, variables, `${key}.env`);
    // Values written in the file are stored with the run, so they are not secrets.
    for (const { name, value } of given) if (own.env?.[name] === null) redactor.learn(value);
    const env = Object.fromEntries(given.map(({ name, value }) => [name, value]));
    return {
      settings: agentSettings(own),
      run: (rollout) => this.#run({ own, env, key }, rollout),
    };
  }

  async #run(
    agent: {
      readonly own: AgentConfig;
      readonly env: Readonly<Record<string, string>>;
      readonly key: string;
    },
    rollout: AgentRollout,
  ): Promise<AgentEnd> {
    this.#listening ??= this.#listen();
    const address = await this.#listening;
    const id = randomBytes(12).toString("hex");
    const key = `tinker-rl-${randomBytes(24).toString("base64url")}`;
    const prefix = join(tmpdir(), "tinker-rl-agent-");
    const folder = await writing(prefix, () => mkdtemp(prefix));
    this.#callers.set(id, { key, rollout });
    try {
      return await this.#play(
        { ...agent, folder, base: `${address}/r/${id}`, key },
        agent.key,
        rollout,
      );
    } finally {
      this.#callers.delete(id);
      // An agent may leave files that cannot be removed; the rollout does not fail because of them.
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    }
  }

  async #play(
    place: {
      readonly own: AgentConfig;
      readonly env: Readonly<Record<string, string>>;
      readonly folder: string;
      readonly base: string;
      readonly key: string;
    },
    configPath: string,
    { task, signal, graded }: AgentRollout,
  ): Promise<AgentEnd> {
    const { config, programs } = this.#options;
    const { own, env, folder, base, key } = place;
    const taskFile = join(folder, HIDDEN, "task.json");
    await writing(taskFile, async () => {
      await mkdir(dirname(taskFile));
      await writeFile(taskFile, taskText(task));
    });
    const model = config.model_name;
    const base_url = own.protocol === "openai" ? `${base}/v1` : base;
    const mcp_url = `${base}/mcp`;
    const prompt = task.prompt.slice(0, MAX_VARIABLE).replaceAll("\0", "");
    const values = { prompt, task_file: taskFile, base_url, mcp_url, model };
    const variables = {
      ...protocolVariables(own.protocol, base_url, key),
      TINKER_RL_TASK: taskFile,
      TINKER_RL_PROMPT: prompt,
      TINKER_RL_MODEL: model,
      TINKER_RL_MCP_URL: mcp_url,
      TINKER_RL_KEY: key,
      ...env,
    };
    const clean = (text: string): string => text.replaceAll(key, "[key]");
    const common = { cwd: folder, programFolder: programs.folder, clean };
    const { printed, ...end } = await runAgentProgram({
      ...common,
      signal,
      variables,
      command: withValues(own.command, values),
      configPath: `${configPath}.command`,
      isGraded: own.reward_command !== null,
    });
    const { reward_command } = own;
    if (reward_command === null) return end;
    return await graded(end, async (limit) => {
      const outputFile = join(folder, HIDDEN, "output.txt");
      await writing(outputFile, () => writeFile(outputFile, printed));
      return await runAgentProgram({
        ...common,
        signal: limit,
        variables: { ...variables, TINKER_RL_OUTPUT: outputFile },
        command: withValues(reward_command, values),
        configPath: `${configPath}.reward_command`,
      });
    });
  }

  async #listen(): Promise<string> {
    const { cleanup, log, redactor, signal } = this.#options;
    const { config } = this.#options;
    const server = createHttpServer({
      routes: {
        ...endpointRoutes({
          prefix: `${SESSION}/v1`,
          policyOf: (request) => {
            const policy = this.#caller(request).rollout.model;
            return { policy, name: config.model_name, needsLogprobs: true };
          },
          clock: systemClock,
          random: systemRandom,
          clean: (error) => redactor.redactError(error),
          signal,
        }),
        [`POST ${SESSION}/mcp`]: (request) =>
          answerMcp(this.#caller(request).rollout.tools, request, VERSION),
      },
      // Each rollout has its own key, checked in `#caller`.
      key: null,
      log,
      maxBodyBytes: MAX_REQUEST_BYTES,
      admit: admitLoopbackNames,
      errorBody: (fault) => {
        const [, , id = "", ...path] = fault.path.split("/");
        // MCP clients probe for a stream here, which servers need not offer.
        if (path[0] !== "mcp") {
          const message = faultRefusal(fault).message.replaceAll(id, "ROLLOUT");
          this.#callers.get(id)?.rollout.model.onRefused?.({ ...faultRefusal(fault), message });
        }
        return endpointErrorBody(fault);
      },
    });
    const address = await listen(server, { kind: "port", port: 0 });
    cleanup.add(() => closeServer(server));
    return address;
  }

  /** @throws AppError `http-refused` 401 for an unknown or ended rollout, or a wrong key */
  #caller(request: ServiceRequest): Caller {
    const caller = this.#callers.get(request.params["caller"] ?? "");
    if (caller !== undefined && sameSecret(keyIn(request.header), caller.key)) return caller;
    throw refusal(
      401,
      "The key does not belong to the rollout at this address, or the rollout has ended. Use the key in TINKER_RL_KEY, which the agent also got under the name of its protocol.",
    );
  }
}

function protocolVariables(
  protocol: AgentConfig["protocol"],
  url: string,
  key: string,
): Readonly<Record<string, string>> {
  const names = PROTOCOL_VARIABLES[protocol];
  return { [names.url]: url, [names.key]: key };
}

/** The task file for the agent, with messages and tools in OpenAI's format. */
function taskText(task: AgentTask): string {
  const { environment, split, index, prompt, messages, images, tools } = task;
  return `${writeExactJson({
    environment,
    split,
    index,
    prompt,
    messages: messages.map((message) => messageJson(message, images)),
    tools: tools.map((tool) => ({ ...declareTool(tool) })),
  })}\n`;
}
