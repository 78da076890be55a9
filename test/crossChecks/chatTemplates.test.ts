/** Chat templates compared with Python's Jinja2, over templates and conversations that break other engines. */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { CompiledTemplate } from "../../src/core/chat/template/jinja.ts";
import { preparePython } from "../conformance/python.ts";
import { CONVERSATIONS, SNIPPETS } from "./chatTemplateCases.ts";
import { compileOnFixedDay, hasData, namesOfTemplates, readData } from "./tokenizerData.ts";

const PROGRAM = fileURLToPath(new URL("chatTemplates.py", import.meta.url));
const requirements = new URL("chatTemplates.requirements.txt", import.meta.url);
const versions = "3.10 to 3.13";
const python = await preparePython({ name: "chatTemplates", requirements, versions });

const render = z.union([z.object({ text: z.string() }), z.object({ error: z.string() })]);
type Render = z.infer<typeof render>;
type Variables = Readonly<Record<string, unknown>>;

describe.skipIf(python === null || !hasData())("chat templates versus Python's Jinja2", () => {
  it("render equal text, or are rejected, for every template and conversation", async () => {
    const names = namesOfTemplates();
    const sources = names.map((name) => readData(name));
    expect(await differences(names, sources, CONVERSATIONS)).toEqual([]);
  }, 300_000);
});

describe.skipIf(python === null)("template expressions versus Python's Jinja2", () => {
  it("give equal text, or are rejected", async () => {
    const { sources, variables } = SNIPPETS;
    expect(await differences(sources, sources, { all: variables })).toEqual([]);
  });
});

/** Cases that we render although Python renders something else or rejects them, and cases that only Python renders. */
async function differences(
  names: readonly string[],
  sources: readonly string[],
  conversations: Readonly<Record<string, Variables>>,
): Promise<readonly object[]> {
  const expected = await renderInPython(sources, Object.values(conversations));
  return sources.flatMap((source, i) => {
    const compiled = compileOnce(source);
    return Object.entries(conversations).flatMap(([conversation, variables], j) => {
      const ours = renderHere(compiled, variables);
      const theirs = expected[i]?.[j] ?? { error: "no answer" };
      const areTexts = "text" in ours && "text" in theirs;
      const isEqual = areTexts ? ours.text === theirs.text : "error" in ours && "error" in theirs;
      return isEqual ? [] : [{ template: names[i], conversation, ours, theirs }];
    });
  });
}

function compileOnce(source: string): CompiledTemplate {
  try {
    return compileOnFixedDay(source);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function renderHere(compiled: CompiledTemplate, variables: Variables): Render {
  try {
    return { text: compiled(variables) };
  } catch (error) {
    return { error: String(error) };
  }
}

async function renderInPython(
  templates: readonly string[],
  variables: readonly Variables[],
): Promise<readonly (readonly Render[])[]> {
  const folder = await mkdtemp(join(tmpdir(), "chat-templates-"));
  try {
    const [request, answer] = [join(folder, "request.json"), join(folder, "answer.json")];
    await writeFile(request, JSON.stringify({ templates, variables }));
    await promisify(execFile)(python ?? "", [PROGRAM, request, answer]);
    return z.array(z.array(render)).parse(JSON.parse(await readFile(answer, "utf8")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
