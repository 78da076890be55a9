/** Loaded by VS Code inside the extension host. Results are written to a file; the console only mirrors them. */

import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export async function run(): Promise<void> {
  const { default: Mocha } = await import("mocha");
  const grep = process.env["TEST_GREP"];
  const mocha = new Mocha({
    ui: "bdd",
    timeout: 60_000,
    forbidOnly: true,
    ...(grep === undefined ? {} : { grep }),
  });
  for (const file of readdirSync(__dirname)) {
    if (file.endsWith(".test.cjs")) mocha.addFile(join(__dirname, file));
  }
  await new Promise<void>((done, fail) => {
    const runner = mocha.run((failures) => {
      if (failures === 0) done();
      else fail(new Error(`${failures} tests failed`));
    });
    runner.on("pass", (test) => report({ kind: "passed", title: test.fullTitle() }));
    runner.on("fail", (test, error) => {
      report({ kind: "failed", title: test.fullTitle(), error: String(error.stack ?? error) });
    });
    runner.on("pending", (test) => report({ kind: "skipped", title: test.fullTitle() }));
    runner.on("end", () => report({ kind: "ended", tests: runner.stats?.tests ?? 0 }));
  });
}

function report(result: Readonly<Record<string, unknown>>): void {
  const file = process.env["TEST_REPORT"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
