/** Results of environment checks as terminal lines. */

import * as l10n from "@vscode/l10n";
import {
  type EnvironmentReport,
  findingsOf,
} from "../../core/environmentCheck/checkEnvironment.ts";
import { formatDuration, plural } from "../../shared/format.ts";
import {
  BLANK,
  type Line,
  type LinePiece,
  type Style,
  styled,
  wrapText,
} from "../terminal/line.ts";

const STYLES: Readonly<Record<"defect" | "warning" | "note", Style>> = {
  defect: "bad",
  warning: "warning",
  note: "quiet",
};
const INDENT = 9;
const ID_WIDTH = 20;

/** The table of checks, then findings, then checks that were not made. */
export function environmentReportLines(report: EnvironmentReport, width: number): readonly Line[] {
  const { environment, address, checks, seed, seconds } = report;
  const findings = findingsOf(report);
  return [
    BLANK,
    [
      styled("strong", environment),
      styled("quiet", `  ${environment.startsWith("local/") ? l10n.t("embedded") : address}`),
    ],
    BLANK,
    ...withReasonsOnce(checks).flatMap((check) => checkLines(check, width)),
    ...findings.flatMap((finding) => findingLines(finding, width)),
    BLANK,
    [
      verdict(report),
      styled("quiet", `  ${l10n.t("{0}, seed {1}", formatDuration(seconds), seed)}`),
    ],
  ];
}

type Checks = EnvironmentReport["checks"];

/** Shortens a reason that repeats the previous one, because one problem, such as an unreadable task list, can prevent many checks. */
function withReasonsOnce(checks: Checks): Checks {
  let given: string | undefined;
  return checks.map((check) => {
    const { notMade } = check;
    if (notMade === undefined) return check;
    if (given === notMade) return { ...check, notMade: l10n.t("for the same reason") };
    given = notMade;
    return check;
  });
}

/** Findings are limited to one row, because they follow in full. */
function checkLines(
  { id, rule, measured, notMade, findings }: EnvironmentReport["checks"][number],
  width: number,
): readonly Line[] {
  const severities = findings.map(({ severity }) => severity);
  const worst = (["defect", "warning", "note"] as const).find((each) => severities.includes(each));
  const mark: LinePiece =
    worst !== undefined
      ? styled(STYLES[worst], worst.padEnd(INDENT))
      : notMade !== undefined
        ? styled("quiet", l10n.t("not made").padEnd(INDENT))
        : styled("good", l10n.t("ok").padEnd(INDENT));
  const text = findings[0]?.message ?? notMade ?? measured ?? rule;
  const [first = "", ...rest] = wrapText(text, Math.max(20, width - INDENT - ID_WIDTH));
  if (findings.length > 0) {
    const cut = rest.length === 0 ? first : `${first} …`;
    return [[mark, id.padEnd(ID_WIDTH), styled("quiet", cut)]];
  }
  return [
    [mark, id.padEnd(ID_WIDTH), styled("quiet", first)],
    ...rest.map((row): Line => [" ".repeat(INDENT + ID_WIDTH), styled("quiet", row)]),
  ];
}

function findingLines(
  finding: ReturnType<typeof findingsOf>[number],
  width: number,
): readonly Line[] {
  const { severity, check, message, evidence, advice } = finding;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [l10n.t("task"), evidence.task],
    [l10n.t("call"), evidence.call],
    [l10n.t("answer"), evidence.answer],
    [l10n.t("seen"), evidence.numbers],
    [l10n.t("to do"), advice],
  ];
  return [
    BLANK,
    [
      styled(STYLES[severity], severity.padEnd(INDENT)),
      styled("strong", message),
      styled("quiet", `  ${check}`),
    ],
    ...facts.flatMap(([label, text]) =>
      text === undefined
        ? []
        : wrapText(text, Math.max(20, width - INDENT - 8)).map((row, index): Line => {
            const name = index === 0 ? label : "";
            return [" ".repeat(INDENT), styled("quiet", name.padEnd(8)), row];
          }),
    ),
  ];
}

function verdict(report: EnvironmentReport): LinePiece {
  const severities = findingsOf(report).map(({ severity }) => severity);
  const defects = severities.filter((each) => each === "defect").length;
  const warnings = severities.filter((each) => each === "warning").length;
  if (defects > 0) return styled("bad", plural(defects, "{0} defect", "{0} defects"));
  if (warnings > 0) {
    return styled("warning", plural(warnings, "no defect, {0} warning", "no defect, {0} warnings"));
  }
  const { length } = report.checks;
  const made = report.checks.filter(({ notMade }) => notMade === undefined).length;
  return made < length / 2
    ? styled("warning", l10n.t("{0} of {1} checks made, nothing found", made, length))
    : styled("good", l10n.t("nothing found"));
}
