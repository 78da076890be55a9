/** Read-only tools: those of the editor's chat, plus what an assistant needs without the editor's pages. */

import * as z from "zod";
import type { Json } from "../../core/json.ts";
import { estimateOutput } from "../../core/outputs/estimateOutput.ts";
import { describeFound } from "../../core/outputs/searchOutput.ts";
import { searchRuns } from "../../core/search/searchRun.ts";
import { SEARCH_ROLES } from "../../shared/search.ts";
import { plainJson, type RunTools } from "../tools/runTools.ts";
import { MAX_TEXT, run, toolInputs } from "../tools/toolInputs.ts";
import { TOOLS, type ToolId } from "../tools/toolTable.ts";
import { comparison } from "./comparison.ts";
import { keyReference } from "./keyReference.ts";
import { type McpTool, mcpTool } from "./mcpTool.ts";
import type { McpWorkspace } from "./mcpWorkspace.ts";
import { pastEstimate } from "./pastEstimate.ts";

export interface ReadToolOptions {
  readonly workspace: McpWorkspace;
  readonly tools: RunTools;
}

const MAX_HITS = 20;
/** A search through gigabytes stops here with what it has found. */
const SEARCH_MS = 30_000;

export function readTools(options: ReadToolOptions): readonly McpTool[] {
  const ids = Object.keys(TOOLS) as ToolId[]; // the type of the keys is that of the record
  const shared = ids.map(
    (id): McpTool => ({
      name: id,
      title: TOOLS[id].title,
      forModel: TOOLS[id].forModel,
      input: toolInputs[id],
      isReadOnly: true,
      call: (checked) => options.tools.value(id, checked),
    }),
  );
  return [
    ...shared,
    searchTool(options),
    compareTool(options),
    referenceTool(),
    estimateTool(options),
  ];
}

function searchTool({ workspace, tools }: ReadToolOptions): McpTool {
  return mcpTool({
    name: "searchRollouts",
    title: "Search in Rollouts",
    forModel: `Finds rollouts of one run, or of all runs, whose texts contain all words and "quoted phrases": prompts, what the model thought, answered and called, results, errors. Returns at most ${MAX_HITS} with the text around each match; read one with readRollouts. Narrow the words, the roles or the run to see others.`,
    input: z.object({
      words: z.string().min(1).max(MAX_TEXT),
      run: run.optional(),
      roles: z.array(z.enum(SEARCH_ROLES)).max(SEARCH_ROLES.length).optional(),
    }),
    isReadOnly: true,
    call: async ({ words, run: name, roles = [] }) => {
      const listed = name === undefined ? await workspace.runs() : [await tools.find(name)];
      const readable = listed.filter(({ phase }) => phase !== "unreadable");
      const folders = readable.map(({ folder }) => folder);
      const query = { text: words, isRegex: false, roles };
      const found: Json[] = [];
      const endMs = workspace.now() + SEARCH_MS;
      let isWhole = true;
      const search = { query, set: null, maxHits: MAX_HITS };
      for await (const report of searchRuns(folders, workspace.filesOf, search)) {
        const { folder, hits } = report;
        for (const hit of hits) {
          const { folder: _, ...fields } = describeFound(folder, hit);
          found.push({ run: workspace.nameOf(folder), ...(plainJson(fields) as object) });
        }
        isWhole = !report.isCut;
        if (workspace.now() < endMs) continue;
        isWhole = report.isComplete && isWhole;
        break;
      }
      return { found, runs: folders.length, isWhole };
    },
  });
}

function compareTool({ workspace, tools }: ReadToolOptions): McpTool {
  return mcpTool({
    name: "compareRuns",
    title: "Compare Runs",
    forModel:
      "Puts 2 to 10 runs side by side: the settings that differ, how far each is, the mean reward of its first and its last `count` steps (10, or half of the steps of a shorter run), the same of further metrics, cost, and its last evaluation with 95% confidence intervals. Runs of different tasks or seeds differ by chance as well: say so.",
    input: z.object({
      runs: z.array(run).min(2).max(10),
      metrics: z.array(z.string().max(MAX_TEXT)).max(20).optional().describe("names of metrics"),
    }),
    isReadOnly: true,
    call: async ({ runs, metrics = [] }) => {
      const found = [];
      for (const name of runs) found.push(await tools.find(name));
      return comparison(workspace, found, metrics);
    },
  });
}

function referenceTool(): McpTool {
  return mcpTool({
    name: "configReference",
    title: "Look Up Configuration Keys",
    forModel:
      "Explains keys of a Tinker RL configuration: meaning, type and range, default, and when a value may change. Give one key, such as learning_rate or environments.num_rollouts; without one it lists all keys by section. Use it before you write a key.",
    input: z.object({ key: z.string().max(MAX_TEXT).optional() }),
    isReadOnly: true,
    call: async ({ key }) => keyReference(key ?? null),
  });
}

function estimateTool({ workspace, tools }: ReadToolOptions): McpTool {
  return mcpTool({
    name: "estimate",
    title: "Estimate a Run",
    forModel:
      "Estimates the tokens, cost and time of a run with a configuration, from a past run of the same model and environments. Contacts no service. Without such a run it says so: then the user can estimate with `tinker-rl estimate FILE --groups 2`.",
    input: z.object({
      config: z.string().max(MAX_TEXT).describe("path from the workspace folder"),
      run: run.optional().describe("the past run; by default the newest that fits"),
    }),
    output: estimateOutput.jsonSchema(),
    isReadOnly: true,
    call: async ({ config, run: past }) => {
      const path = await tools.findConfig(config);
      const folder = past === undefined ? null : (await tools.find(past)).folder;
      const report = await pastEstimate(workspace, { path, folder });
      const { restsOn, ...fields } = report;
      const name = restsOn.run === null ? null : workspace.nameOf(restsOn.run);
      return plainJson({ ...fields, restsOn: { ...restsOn, run: name } });
    },
  });
}
