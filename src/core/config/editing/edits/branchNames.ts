/** What the configuration of a branch and its run are called. */

export interface BranchPoint {
  /** Base name of the configuration that the run was started with. */
  readonly fileName: string;
  /** Name of the run that is left. */
  readonly runName: string;
  /** Completed steps at the checkpoint. */
  readonly step: number;
}

/** Folders of runs have no longer name. */
const MAX_RUN_NAME = 80;

/**
 * Base name of the file, such as `math-step-10.tinker.yaml`; `count` is 2 when the first one is taken. One of `patterns`, names of
 * configurations in which `*` is any text, fits it where one of them has one `*`.
 */
export function branchFileName(
  { fileName, step }: Pick<BranchPoint, "fileName" | "step">,
  patterns: readonly string[],
  count: number,
): string {
  const name = (stem: string): string => `${stem}-step-${step}${count === 1 ? "" : `-${count}`}`;
  const parts = patterns.map((pattern) => pattern.split("*")).filter(({ length }) => length === 2);
  const affixes = parts.map(([before = "", after = ""]) => ({ before, after }));
  const own = affixes.find(
    ({ before, after }) =>
      fileName.length > before.length + after.length &&
      fileName.startsWith(before) &&
      fileName.endsWith(after),
  );
  if (own !== undefined) {
    const stem = fileName.slice(own.before.length, fileName.length - own.after.length);
    return `${own.before}${name(stem)}${own.after}`;
  }
  const dot = fileName.lastIndexOf(".");
  const [stem, extension] =
    dot < 1 ? [fileName, ""] : [fileName.slice(0, dot), fileName.slice(dot)];
  // JSON is YAML, too.
  const other = affixes.find(({ after }) => after.endsWith(extension)) ?? affixes[0];
  return other === undefined
    ? `${name(stem)}${extension}`
    : `${other.before}${name(stem)}${other.after}`;
}

/** The `run_name` of the branch. */
export function branchRunName({ runName, step }: Pick<BranchPoint, "runName" | "step">): string {
  const end = `-step-${step}`;
  const plain = runName.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return `${(plain === "" ? "run" : plain).slice(0, MAX_RUN_NAME - end.length)}${end}`;
}
