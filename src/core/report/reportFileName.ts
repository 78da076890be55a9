/** The file that a report goes into. */

/** Where its reader does not name another. A name of a run may have characters that names of files must not have. */
export function reportFileName(runs: readonly { readonly name: string }[]): string {
  const [first] = runs;
  const name = runs.length === 1 && first !== undefined ? first.name : "runs";
  return `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}-report.html`;
}
