/** Name of a report's file. */

/** Default name. Characters of the run's name that file names cannot have are replaced. */
export function reportFileName(runs: readonly { readonly name: string }[]): string {
  const [first] = runs;
  const name = runs.length === 1 && first !== undefined ? first.name : "runs";
  return `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}-report.html`;
}
