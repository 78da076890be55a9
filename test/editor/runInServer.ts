/** Runs the bundled suite inside the real extension host of the pinned VS Code server. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freshPage, launchBrowser, workbenchUrl } from "../workbench/browser.ts";
import type { Edition } from "../workbench/install.ts";
import { startServer, type WorkbenchServer } from "../workbench/server.ts";

/** A line of the file that `inHost/index.ts` writes. */
type Report =
  | { readonly kind: "passed" | "skipped"; readonly title: string }
  | { readonly kind: "failed"; readonly title: string; readonly error: string }
  | { readonly kind: "ended"; readonly tests: number };

/** Next to other windows it takes several times as long as alone, which is a minute. */
const LIMIT_MS = 600_000;

/** True if the suite ran and passed; no report and no tests are failures. `workspace` is writable; `variables` are for the suite. */
export async function runInServer(
  edition: Edition,
  workspace: string,
  variables: NodeJS.ProcessEnv,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "workbench-report-"));
  const reportFile = join(folder, "report.jsonl");
  try {
    const env = { ...variables, TEST_REPORT: reportFile };
    const server = await startServer({ edition, driver: true, env });
    const { outcome, said } = await runSuite(server, workspace).finally(server.stop);
    return judge(outcome, reports(reportFile), said, Object.keys(variables).length === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens the page that starts the suite, and waits for its exit code. `said` is the host's console output. */
async function runSuite(
  { authority }: WorkbenchServer,
  workspace: string,
): Promise<{ readonly outcome: unknown; readonly said: readonly string[] }> {
  const said: string[] = [];
  const browser = await launchBrowser();
  try {
    const page = await freshPage(browser, authority);
    const finished = new Promise<unknown>((finish) => {
      page.on("crash", () => finish("the page crashed"));
      // VS Code calls these two functions in the page.
      void page.exposeFunction("codeAutomationExit", finish);
      void page.exposeFunction("codeAutomationLog", (type: string, args: readonly string[]) =>
        said.push(`${type} ${args.join(" ")}`),
      );
    });
    // Must have the page's host and port.
    const uri = (path: string): string => `vscode-remote://${authority}${encodeURI(resolve(path))}`;
    const url = workbenchUrl(authority, workspace, [
      ["extensionDevelopmentPath", uri(".")],
      ["extensionTestsPath", uri("dist/inHost/index.cjs")],
    ]);
    await page.goto(url, { waitUntil: "domcontentloaded" });
    const outcome = await Promise.race([
      finished,
      sleep(LIMIT_MS, "the suite did not end", { ref: false }),
    ]);
    return { outcome, said };
  } finally {
    await browser.close();
  }
}

function reports(file: string): readonly Report[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line): Report => JSON.parse(line)); // written by the suite of this same build
}

/** `maySkip` if the caller gave the suite no hostile folders: otherwise a skipped test counts as failed. */
function judge(
  outcome: unknown,
  lines: readonly Report[],
  said: readonly string[],
  maySkip: boolean,
): boolean {
  let failed = 0;
  let skipped = 0;
  let tests = 0;
  for (const line of lines) {
    if (line.kind === "ended") {
      tests = line.tests;
      continue;
    }
    console.log(`${line.kind === "passed" ? "ok  " : line.kind.toUpperCase()} ${line.title}`);
    if (line.kind === "passed") continue;
    if (line.kind === "skipped" && maySkip) {
      skipped += 1;
      continue;
    }
    failed += 1;
    if (line.kind === "failed") console.log(line.error);
  }
  const passed = tests - failed - skipped;
  console.log(`${passed} of ${tests} tests passed in the extension host, ${skipped} skipped`);
  if (outcome === 0 && passed > 0 && failed === 0) return true;
  if (tests === 0) {
    console.log(`No test ran: ${String(outcome)}.`);
    console.log(
      said
        .filter((line) => line.startsWith("error"))
        .join("\n")
        .slice(0, 4000),
    );
  }
  return false;
}
