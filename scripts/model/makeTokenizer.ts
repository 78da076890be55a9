/**
 * Creates the embedded model's tokenizer: byte-level BPE with all 512 ids assigned, and merges learned from scripted games.
 * Run: `node scripts/run.mjs scripts/model/makeTokenizer.ts` (about ten seconds; deterministic).
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BYTE_LEVEL_ALPHABET } from "../../src/node/tokenizer/byteLevel.ts";
import { PLAYERS } from "./players.ts";
import { openVoice, playTranscript } from "./transcript.ts";

const FOLDER = "src/local/engine/model";
const VOCABULARY = 512;
const GAMES_PER_PLAYER = 1500;
const SPECIALS = ["<|pad|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"] as const;
const END = 2;
/** Digits and line feeds stay single; everything between them may merge freely, so that fixed phrases become one token. */
const SPLIT = String.raw`\d|\n|[^\d\n]+`;

type Merge = readonly [string, string];

async function writeTokenizer(merges: readonly Merge[]): Promise<void> {
  const vocab: Record<string, number> = {};
  for (const token of [
    ...SPECIALS,
    ...BYTE_LEVEL_ALPHABET,
    ...merges.map((pair) => pair.join("")),
  ]) {
    vocab[token] = Object.keys(vocab).length;
  }
  const added = SPECIALS.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: id <= END,
  }));
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: SPLIT }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges,
    },
  };
  const config = {
    tokenizer_class: "PreTrainedTokenizerFast",
    eos_token: "<|im_end|>",
    pad_token: "<|pad|>",
    bos_token: null,
    unk_token: null,
    model_max_length: 256,
    clean_up_tokenization_spaces: false,
    add_bos_token: false,
    add_prefix_space: false,
  };
  await writeFile(join(FOLDER, "tokenizer.json"), `${JSON.stringify(tokenizer, null, 1)}\n`);
  await writeFile(join(FOLDER, "tokenizer_config.json"), `${JSON.stringify(config, null, 2)}\n`);
}

/** Texts of scripted games between control tokens, rendered with a bytes-only tokenizer. */
async function corpus(): Promise<Map<string, number>> {
  const voice = await openVoice(FOLDER);
  const counts = new Map<string, number>();
  const splitter = new RegExp(SPLIT, "g");
  for (const [p, player] of PLAYERS.entries()) {
    for (let game = 0; game < GAMES_PER_PLAYER; game++) {
      const { ids } = await playTranscript(voice, player, 1 + p + game * 10);
      const text = voice.model.tokenizer.decode(ids);
      for (const run of text.split(/<\|pad\|>|<\|im_start\|>|<\|im_end\|>|<\/?tool_call>/)) {
        for (const word of run.match(splitter) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Classic BPE: the most frequent pair merges first; ties are broken by text. */
function learnMerges(words: ReadonlyMap<string, number>, count: number): Merge[] {
  const encoder = new TextEncoder();
  const sequences = Array.from(words, ([word, weight]) => ({
    pieces: Array.from(encoder.encode(word), (byte) => BYTE_LEVEL_ALPHABET[byte] ?? ""),
    weight,
  }));
  const merges: Merge[] = [];
  while (merges.length < count) {
    const pairs = new Map<string, number>();
    for (const { pieces, weight } of sequences) {
      for (let i = 0; i + 1 < pieces.length; i++) {
        const pair = `${pieces[i]} ${pieces[i + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + weight);
      }
    }
    const best = Array.from(pairs).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
    if (best === undefined) throw new Error(`only ${merges.length} merges: play more games`);
    const [left = "", right = ""] = best[0].split(" ");
    merges.push([left, right]);
    for (const sequence of sequences) sequence.pieces = mergePair(sequence.pieces, left, right);
  }
  return merges;
}

function mergePair(pieces: readonly string[], left: string, right: string): string[] {
  const out: string[] = [];
  for (let i = 0; i < pieces.length; i++) {
    if (pieces[i] === left && pieces[i + 1] === right) {
      out.push(left + right);
      i++;
    } else {
      out.push(pieces[i] ?? "");
    }
  }
  return out;
}

await writeTokenizer([]);
const merges = learnMerges(await corpus(), VOCABULARY - SPECIALS.length - 256);
await writeTokenizer(merges);
const voice = await openVoice(FOLDER);
for (const player of PLAYERS) {
  const games = await Promise.all(
    Array.from({ length: 300 }, (_, i) => playTranscript(voice, player, 900_001 + i * 17)),
  );
  const mean = (values: readonly number[]): number =>
    values.reduce((a, b) => a + b, 0) / values.length;
  const lengths = games.map((game) => game.ids.length);
  console.log(
    `${player.environment}: reward of the players ${mean(games.map((game) => game.reward)).toFixed(3)}, ` +
      `tokens mean ${mean(lengths).toFixed(0)}, most ${Math.max(...lengths)}, ` +
      `own ${mean(games.map((game) => game.spoken.filter(Boolean).length)).toFixed(0)}`,
  );
}
console.log(`${merges.length} merges, ${VOCABULARY} ids`);
