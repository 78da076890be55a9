/** Python files on disk; environments are written in Python. */

import type { DocumentSelector } from "vscode";

export const PYTHON_FILE: DocumentSelector = { language: "python", scheme: "file" };
