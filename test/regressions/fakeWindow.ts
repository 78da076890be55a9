/** The little of the editor that a start asks for: default settings and texts as they are. */

import { fakeVscode } from "../host/keys/fakeVscode.ts";

export const fakeWindow = {
  ...fakeVscode,
  workspace: {
    isTrusted: true,
    workspaceFolders: undefined,
    getWorkspaceFolder: () => undefined,
    getConfiguration: () => ({ get: () => undefined }),
  },
};
