/** Words that only this project uses, each with the field's term to use instead. */

/** Names of files, types, functions, and fields. */
const NAMES: Readonly<Record<string, string>> = {
  Naps: "WakeableSleep",
  PausedWhile: "WithTimerPaused",
  orAborted: "raceAbort",
  Doubts: "blamesEnvironment",
  isAcquitted: "isReachable",
  isToBlame: "blamesEnvironment",
  GateNews: "GateEvent",
  Blockage: "Unavailability",
  tellNews: "reportGateEvent",
  gaveUp: "giveUpError",
  outlast: "pauseUntilAvailable",
  sitOut: "pauseRun",
  addBridge: "addContext",
  fate: "trainingUse",
  RolloutGivens: "RolloutInputs",
  Retuning: "SettingsChange",
  heedRetuning: "applyPendingSettings",
  requireWorking: "requireNoInternalErrors",
  tellProbe: "reportServerCheck",
  CheckpointKeeper: "CheckpointWriter",
  SilenceWatch: "IdleTimeout",
  LossWire: "LossEncoding",
  Tickets: "Futures",
  LOUDER: "SUPPRESSED_BY",
  isDrowned: "isSuppressed",
  CALM_STEPS: "CLEAR_AFTER_STEPS",
  isRinging: "isFiring",
  TroubleVoice: "OutageCallbacks",
  TrackerVoice: "TrackerCallbacks",
  Teller: "RunReporter",
  RunBook: "RunSummary",
  isStopHeeded: "isStopHandled",
  cleanedPorts: "redactingPorts",
  filledIn: "restoreRedacted",
  Wishes: "CommandHandler",
  ControlWish: "ControlCommand",
  TrainingWish: "TrainingRequest",
  leftOvers: "flushTrackers",
  leftReports: "pendingReports",
  LaunchOrder: "LaunchRequest",
  Closers: "CleanupStack",
  TrainerDoor: "TrainerApi",
  firstContact: "checkReachable",
  modelStart: "createModel",
  controlPlace: "controlSocketPath",
  runPlaces: "runPaths",
  Pacer: "EventLoopThrottle",
  LateParts: "LazyConfigSupport",
  CatalogueRoom: "CatalogueServices",
  mendKeys: "recoverFromLaunchError",
  keepKeys: "saveKeys",
  watchQuietly: "tryWatch",
  deadTerminal: "staleTerminal",
  alarmMarks: "alarmDiagnostics",
  RunFocus: "SelectedRun",
  pickToken: "sampleToken",
  Shield: "TextEscaper",
  rememberPrompts: "cachePrompts",
  PlaceFile: "WandbState",
  parsePlaceFile: "parseWandbState",
  LastingPoints: "PermanentPoints",
  lastingPoints: "permanentPoints",
  newestLiving: "newestUnexpired",
  absenceOf: "unsupportedReason",
  TrackerWaits: "TrackerIntervals",
  noteRow: "rowWritten",
  wakeOrNext: "wakeOrSkipNext",
  tookTooLong: "timeoutError",
  joinParts: "concatBytes",
  deleteAndReport: "deleteCheckpoints",
  UploadTrouble: "UploadProblem",
  CatalogueSide: "CatalogueLists",
  RelatedPlace: "RelatedLocation",
  placeFinding: "locateFinding",
  KnownProgress: "ProgressCache",
  placeOfDigit: "digitOffset",
};

/** Verbs and nouns in comments, messages, and names. */
const WORDS: Readonly<Record<string, string>> = {
  "heed(?:s|ed|ing)?": "follow, apply, handle",
  "mend(?:s|ed|ing)?": "repair, fix",
  "outlast(?:s|ed)?": "wait for",
  "s[ia]ts? out": "wait for",
  "drown(?:s|ed)?": "suppress",
  "wish(?:es|ed)?": "request, command",
  "[Ss]tand-?[Ii]ns?": "fake, placeholder",
  "life signs?": "heartbeat",
  "signs? of life": "heartbeat",
  "ringing|rang": "firing, fired",
  // Exceptions: prompts in the official templates of Qwen and Nemotron, and "too early to" for an unclear trend.
  "(?<!do not |early to )(?:tells?|told)": "report, say",
  "[Rr]etun(?:e|ed|es|ing)": "change settings",
};

export interface WordFault {
  readonly line: number;
  readonly problem: string;
}

const PATTERN = new RegExp(
  `\\b(?:(?<name>${Object.keys(NAMES).join("|")})|(?<word>${Object.keys(WORDS).join("|")}))\\b`,
  "g",
);

/** British spellings; American ones end in -or, -er, or -ize, or have a single l. */
const BRITISH =
  /\b(?:\w*(?:colour|behaviour|favour|honour|neighbour)\w*|cancell(?:ed|ing)|labell(?:ed|ing)|modell(?:ed|ing)|grey\w*|centre[ds]?|licence\w*|defence|analysed?|artefacts?|(?:normal|recogn|minim|maxim|organ|initial|optim|summar|serial|general|random|quant|token|standard|synchron|special)is(?:e[ds]?|ing|ations?))\b/gi;

/** The British spellings in a text. */
export function britishFaults(text: string): readonly WordFault[] {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(BRITISH)].map(([found]) => ({
      line: index + 1,
      problem: `"${found}" is British spelling; write it as American English does.`,
    })),
  );
}

/** The private words in a text, each with suggested replacements. */
export function wordFaults(text: string): readonly WordFault[] {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(PATTERN)].map(([found]) => ({
      line: index + 1,
      problem: `"${found}" is a word of our own; write ${NAMES[found] ?? wordsFor(found)}.`,
    })),
  );
}

function wordsFor(found: string): string {
  const [, words = ""] =
    Object.entries(WORDS).find(([pattern]) => new RegExp(`^${pattern}$`).test(found)) ?? [];
  return words;
}
