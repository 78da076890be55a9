/** What comments and documents may refer to: existing files and headings, and public sources. */

export interface ReferenceFault {
  /** Counted from 1. */
  readonly line: number;
  readonly problem: string;
}

/** The repository as seen by references; paths are relative to its root. */
export interface Repository {
  has(path: string): boolean;
  /** Text of a Markdown file for which {@link has} is true. */
  read(path: string): string;
}

/** Section and rule numbers of documents that are not in this repository. */
const ABSENT: readonly RegExp[] = [
  /§|\b(?:[Ss]ections?|[Cc]hapters?) (?:[A-Z][.-]?)?\d/,
  /\b[Rr]ules? (?:[A-Z]{1,2}[.-]?)?\d/,
  /\b[Dd]ecisions?,? \d/,
  /\b(?:protocol|wire|spec|specification)(?:'s|,)? \d+\.\d/i,
  /\btraining[- ]loop rule/i,
  /(?<![\w.-])[A-K]\.\d+(?![\w-])/,
  /(?<![\w.-])[A-EIT]-\d{1,2}(?![\w-])/,
];
/** A line that mentions one of these may cite sections. */
const PUBLIC = /\bRFC \d|https?:\/\/|\barXiv\b|\bECMA-\d/;

const MARKDOWN_FILE = /(?<![\w/.-])((?:[\w.-]+\/)*[\w-][\w.-]*\.md)(?:#([\w-]+))?(?![\w/])/g;
const MARKDOWN_LINK = /\]\(([^()\s]*)\)/g;
const QUOTED_PATH = /`((?:src|test|scripts|docs|bench|webview-ui|examples)\/[\w./-]+)`/g;

/** The comment in a line of code, or a document's whole line; "" for other lines. */
function prose(path: string, line: string): string {
  if (/\.(md|py)$/.test(path)) return line;
  if (/\.(ya?ml|sh)$/.test(path)) return /(?:^|\s)#(.*)/.exec(line)?.[1] ?? "";
  const [, whole, trailing] = /^\s*(?:\/?\*+|\/\/)(.*)|\s\/\/ (.*)$/.exec(line) ?? [];
  return whole ?? trailing ?? "";
}

/** The anchors of a Markdown text, as GitHub derives them from headings. */
function anchors(text: string): ReadonlySet<string> {
  const headings = text.replace(/^```.*?^```/gms, "").matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}

function resolved(from: string, target: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** Invalid references in a program's comments or in a document. */
export function referenceFaults(
  path: string,
  text: string,
  repository: Repository,
): readonly ReferenceFault[] {
  return text.split("\n").flatMap((line, index) => {
    const words = prose(path, line);
    return [...citations(words), ...brokenLinks(path, words, repository)].map((problem) => ({
      line: index + 1,
      problem,
    }));
  });
}

function citations(words: string): readonly string[] {
  if (PUBLIC.test(words)) return [];
  return ABSENT.flatMap((pattern) => {
    const found = pattern.exec(words)?.[0];
    if (found === undefined) return [];
    return `"${found}" cites a document that is not here; state the rule, link to a heading in docs, or name a public source`;
  });
}

function brokenLinks(path: string, words: string, repository: Repository): readonly string[] {
  const files = [...words.matchAll(MARKDOWN_FILE)].map(([, file = "", anchor]) => {
    const beside = resolved(path, file);
    return { target: repository.has(beside) ? beside : file, anchor };
  });
  const links = [...words.matchAll(MARKDOWN_LINK)].flatMap(([, link = ""]) => {
    const [file = "", anchor] = link.split("#");
    if (!path.endsWith(".md") || /^\w+:/.test(link)) return [];
    return { target: file === "" ? path : resolved(path, file), anchor };
  });
  const quoted = [...words.matchAll(QUOTED_PATH)].map(([, target = ""]) => ({
    target: target.replace(/\/$/, ""),
    anchor: undefined,
  }));
  const problems = [...files, ...links, ...quoted].flatMap(({ target, anchor }) => {
    if (!repository.has(target)) return `${target} does not exist`;
    if (anchor === undefined || anchors(repository.read(target)).has(anchor)) return [];
    return `${target} has no heading #${anchor}`;
  });
  return [...new Set(problems)];
}
