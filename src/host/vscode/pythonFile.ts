/** Python on disk, which environments are written in. */

import type { DocumentSelector } from "vscode";

export const PYTHON_FILE: DocumentSelector = { language: "python", scheme: "file" };
