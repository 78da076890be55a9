/** The GraphQL operations of a run, returning their answers as values: `docs/protocols/wandb.md#run-upsert`. */

import * as z from "zod";
import { AppError } from "../../../errors.ts";
import type { ReferenceArtifact } from "../run/checkpointArtifact.ts";
import { type ExtendedObject, isExtendedObject, parseExtended } from "../run/extendedJson.ts";
import { failureText, type PutRequest, type WandbRequests } from "./requests.ts";

const TIMEOUT_MS = 30_000;
/** Number of addresses requested for uploading a file, and tries per address. */
const UPLOAD = { rounds: 2, tries: 6 };
/** Limits after an upload without any answer, so that rows do not wait long for every further file. */
const UNREACHABLE_UPLOAD = { rounds: 1, tries: 1 };

const VIEWER = "query Viewer { viewer { id entity } }";

const RESUME_STATUS = `query RunResumeStatus($project: String, $entity: String, $name: String!) {
  model(name: $project, entityName: $entity) { bucket(name: $name, missingOk: true) {
    id historyLineCount eventsLineCount logLineCount historyTail eventsTail summaryMetrics config tags notes
    wandbConfig(keys: ["t"]) } } }`;

const UPSERT = `mutation UpsertBucket($id: String, $name: String, $project: String, $entity: String, $groupName: String,
  $displayName: String, $notes: String, $config: JSONString, $jobType: String, $tags: [String!], $program: String) {
  upsertBucket(input: {id: $id, name: $name, modelName: $project, entityName: $entity, groupName: $groupName,
    displayName: $displayName, notes: $notes, config: $config, jobType: $jobType, tags: $tags, jobProgram: $program}) {
    bucket { id name displayName historyLineCount project { name entity { name } } } inserted } }`;

const CREATE_FILES = `mutation CreateRunFiles($entity: String, $project: String, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    runID uploadHeaders files { name uploadUrl } } }`;

const CREATE_ARTIFACT = `mutation CreateArtifact($input: CreateArtifactInput!) {
  createArtifact(input: $input) { artifact { id state } } }`;

const CREATE_MANIFEST = `mutation CreateArtifactManifest($input: CreateArtifactManifestInput!) {
  createArtifactManifest(input: $input) { artifactManifest { id file { uploadUrl uploadHeaders } } } }`;

const COMMIT_ARTIFACT = `mutation CommitArtifact($artifactID: ID!) {
  commitArtifact(input: {artifactID: $artifactID}) { artifact { id } } }`;

export interface RunNames {
  readonly name: string;
  readonly project: string;
  /** Null = the key's own. */
  readonly entity: string | null;
}

export interface UpsertInput extends RunNames {
  /** The run's opaque id, if it continues. */
  readonly id?: string | null;
  readonly displayName?: string | null;
  readonly groupName?: string | null;
  readonly jobType?: string | null;
  readonly notes?: string | null;
  readonly tags?: readonly string[] | null;
  readonly program?: string | null;
  /** Wrapped, as JSON text. */
  readonly config: string;
}

const viewerSchema = z.object({ viewer: z.object({ id: z.string() }).nullable() });

const bucketSchema = z
  .object({
    id: z.string(),
    historyLineCount: z.number(),
    eventsLineCount: z.number().nullish(),
    logLineCount: z.number().nullish(),
    historyTail: z.string().nullish(),
    eventsTail: z.string().nullish(),
    summaryMetrics: z.string().nullish(),
    config: z.string().nullish(),
    tags: z.array(z.string()).nullish(),
    notes: z.string().nullish(),
    wandbConfig: z.string().nullish(),
  })
  .readonly();
const resumeSchema = z.object({
  model: z.object({ bucket: bucketSchema.nullable() }).nullable(),
});
export type ResumeBucket = z.infer<typeof bucketSchema>;

const upsertSchema = z.object({
  upsertBucket: z.object({
    bucket: z
      .object({
        id: z.string(),
        name: z.string(),
        displayName: z.string().nullish(),
        historyLineCount: z.number().nullish(),
        project: z.object({ name: z.string(), entity: z.object({ name: z.string() }) }),
      })
      .readonly(),
  }),
});
export type UpsertedBucket = z.infer<typeof upsertSchema>["upsertBucket"]["bucket"];

const filesSchema = z.object({
  createRunFiles: z.object({
    uploadHeaders: z.array(z.string()).nullish(),
    files: z.array(z.object({ name: z.string(), uploadUrl: z.string().nullish() })),
  }),
});

const artifactSchema = z.object({
  createArtifact: z.object({ artifact: z.object({ id: z.string(), state: z.string() }) }),
});
const manifestSchema = z.object({
  createArtifactManifest: z.object({
    artifactManifest: z.object({
      file: z.object({
        uploadUrl: z.string().nullish(),
        uploadHeaders: z.array(z.string()).nullish(),
      }),
    }),
  }),
});
const committedSchema = z.object({ commitArtifact: z.object({ artifact: z.object({}) }) });
/** The server already has an artifact with the same content. */
const COMMITTED = "COMMITTED";

type UploadTarget = Pick<PutRequest, "url" | "headers">;

/** All methods throw AppError `wandb-refused` for refusals that retrying would not change. */
export class WandbOperations {
  readonly #requests: WandbRequests;
  #isStorageLost = false;

  constructor(requests: WandbRequests) {
    this.#requests = requests;
  }

  /** Checks that the server accepts the key. */
  async requireViewer(): Promise<void> {
    const { viewer } = await this.#ask(VIEWER, {}, viewerSchema);
    if (viewer === null) throw new AppError("wandb-refused", "the key is not accepted");
  }

  /** Null if the run does not exist, or there is no sign that a client wrote it. */
  async resumeStatus({ name, project, entity }: RunNames): Promise<ResumeBucket | null> {
    const { model } = await this.#ask(RESUME_STATUS, { name, project, entity }, resumeSchema);
    const bucket = model?.bucket ?? null;
    return "t" in parsedObject(bucket?.wandbConfig) ? bucket : null;
  }

  async upsert(input: UpsertInput): Promise<UpsertedBucket> {
    const variables = { ...UNCHANGED, ...input };
    const { upsertBucket } = await this.#ask(UPSERT, variables, upsertSchema, true);
    return upsertBucket.bucket;
  }

  /**
   * Uploads a file of the run. False if it was refused, or if the storage is unreachable although the server answers. During an
   * outage, keeps requesting an address until the server answers.
   */
  async uploadFile(run: RunNames, path: string, body: string): Promise<boolean> {
    const { rounds, tries } = this.#isStorageLost ? UNREACHABLE_UPLOAD : UPLOAD;
    for (let round = 0; round < rounds; round += 1) {
      const target = await this.#uploadTarget(run, path);
      const put = target && (await this.#requests.put({ ...target, body, tries }));
      this.#isStorageLost = put === "unreachable";
      if (put !== "unreachable") return put === "taken";
    }
    return false;
  }

  async #uploadTarget(run: RunNames, path: string): Promise<UploadTarget | null> {
    const variables = { entity: run.entity, project: run.project, run: run.name, files: [path] };
    const { createRunFiles } = await this.#ask(CREATE_FILES, variables, filesSchema);
    const url = createRunFiles.files[0]?.uploadUrl ?? null;
    if (url === null) return null;
    return { url, headers: headersOf(createRunFiles.uploadHeaders) };
  }

  /** Adds an artifact of type `model` to the run. `clientIds` are random. False if the server did not accept its manifest. */
  async addArtifact(
    run: RunNames,
    artifact: ReferenceArtifact,
    clientIds: readonly [own: string, sequence: string],
  ): Promise<boolean> {
    const names = { entityName: run.entity, projectName: run.project, runName: run.name };
    const { name: artifactCollectionName, digest, metadata } = artifact;
    const { createArtifact } = await this.#ask(
      CREATE_ARTIFACT,
      {
        input: {
          ...names,
          artifactTypeName: "model",
          artifactCollectionName,
          digest,
          metadata,
          digestAlgorithm: "MANIFEST_MD5",
          aliases: artifact.aliases.map((alias) => ({ artifactCollectionName, alias })),
          clientID: clientIds[0],
          sequenceClientID: clientIds[1],
          enableDigestDeduplication: true,
        },
      },
      artifactSchema,
    );
    const { id: artifactID, state } = createArtifact.artifact;
    if (state === COMMITTED) return true;
    const manifest = {
      ...names,
      artifactID,
      name: "wandb_manifest.json",
      digest: artifact.manifestDigest,
      baseArtifactID: null,
      type: "FULL",
    };
    const { createArtifactManifest } = await this.#ask(
      CREATE_MANIFEST,
      { input: manifest },
      manifestSchema,
    );
    const { uploadUrl: url, uploadHeaders } = createArtifactManifest.artifactManifest.file;
    if (url == null) return false;
    const target = { url, headers: headersOf(uploadHeaders) };
    const { tries } = UPLOAD;
    const put = await this.#requests.put({ ...target, body: artifact.manifest, tries });
    if (put !== "taken") return false;
    await this.#ask(COMMIT_ARTIFACT, { artifactID }, committedSchema);
    return true;
  }

  async #ask<Schema extends z.ZodType>(
    query: string,
    variables: object,
    schema: Schema,
    retriesConflict = false,
  ): Promise<z.output<Schema>> {
    const operationName = /(?:query|mutation) (\w+)/.exec(query)?.[1] ?? "";
    const answer = await this.#requests.post({
      path: "/graphql",
      body: JSON.stringify({ query, variables, operationName }),
      timeoutMs: TIMEOUT_MS,
      retriesConflict,
    });
    const failure = failureText(answer);
    if (failure !== null) throw new AppError("wandb-refused", `${operationName}: ${failure}`);
    const checked = schema.safeParse(answer?.["data"]);
    if (checked.success) return checked.data;
    throw new AppError("wandb-refused", `${operationName}: the answer has an unknown form`, {
      cause: checked.error,
    });
  }
}

/** Parses lines of the form `Name: value`. */
function headersOf(lines: readonly string[] | null | undefined): UploadTarget["headers"] {
  return Object.fromEntries(
    (lines ?? []).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
}

/** Null leaves these unchanged. */
const UNCHANGED = {
  id: null,
  groupName: null,
  displayName: null,
  notes: null,
  jobType: null,
  tags: null,
  program: null,
};

/** The object stored as text in a field; empty for anything else. */
export function parsedObject(text: string | null | undefined): ExtendedObject {
  const value = parseExtended(text ?? "")?.value;
  return isExtendedObject(value) ? value : {};
}
