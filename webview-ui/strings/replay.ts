/** One rollout turn by turn, and token by token. */

import * as l10n from "@vscode/l10n";
import { formatCount, plural } from "../../src/shared/format.ts";

export const replayStrings = {
  replay: {
    title: (set: string, group: number, rollout: number) =>
      l10n.t("{0}, group {1}, rollout {2}", set, group, rollout),
    label: l10n.t("Replay"),
    back: l10n.t("Back to the list"),
    keepList: l10n.t("Keep the list open"),
    mode: l10n.t("Show as"),
    modes: { markdown: l10n.t("Markdown"), raw: l10n.t("Raw"), tokens: l10n.t("Tokens") },
    openJson: l10n.t("Open as JSON"),
    beside: l10n.t("Beside"),
    besideNothing: l10n.t("nothing"),
    besideBest: l10n.t("best of the group"),
    besideIncomplete: l10n.t("The run is too long: not every step was looked through."),
    besideWorst: l10n.t("worst of the group"),
    partAt: (turn: number, by: string) => l10n.t("They part in turn {0}: {1}", turn, by),
    partHere: (by: string) => l10n.t("Here they part: {0}", by),
    partBy: {
      model: l10n.t("the model wrote something else"),
      environment: l10n.t("the environment answered differently"),
    },
    neverPart: l10n.t("Both say the same from beginning to end."),
    goToParting: l10n.t("Go there"),
    openDiff: l10n.t("Open in the diff editor"),
    order: l10n.t("Rollouts of the list"),
    orderAt: (at: number, count: number) =>
      l10n.t("{0} of {1}", at === 0 ? "–" : formatCount(at), formatCount(count)),
    previousRollout: l10n.t("Previous rollout of the list"),
    nextRollout: l10n.t("Next rollout of the list"),
    marks: {
      star: l10n.t("Star"),
      pin: l10n.t("Pin to the top of the list"),
      open: l10n.t("Tags and note"),
      tags: l10n.t("Tags"),
      addTag: l10n.t("Add a tag"),
      removeTag: (tag: string) => l10n.t("Remove the tag {0}", tag),
      note: l10n.t("Note"),
      noteHint: l10n.t("A note about this rollout"),
    },
    siblings: l10n.t("Rollouts of this group"),
    sibling: (rollout: number, reward: string, advantage: string) =>
      l10n.t("Rollout {0}: reward {1}, advantage {2}", rollout, reward, advantage),
    previousSibling: l10n.t("Previous rollout of the group"),
    nextSibling: l10n.t("Next rollout of the group"),
    system: l10n.t("System"),
    tools: (count: number) => plural(count, "{0} tool", "{0} tools"),
    prompt: l10n.t("Prompt"),
    turn: (turn: number) => l10n.t("Turn {0}", turn),
    streams: (count: number) => plural(count, "{0} token stream", "{0} token streams"),
    streamBreak: (stream: number) =>
      l10n.t("Stream {0}: the conversation was rendered again", stream),
    turnFacts: (tokens: number, stop: string) =>
      plural(tokens, "{0} token, ended by {1}", "{0} tokens, ended by {1}", stop),
    continueFromHere: l10n.t("Continue from Here"),
    continueWhat: l10n.t("Lets a model continue after the tokens that were read in this turn"),
    continueByItself: l10n.t("Open this rollout by itself to continue from it."),
    continueEvaluated: l10n.t(
      "This rollout is stored without tokens to continue from: it failed early, or an earlier version evaluated it.",
    ),
    continueWithoutTokens: l10n.t(
      "Only rollouts that were trained on are stored with tokens to continue from.",
    ),
    reasoning: l10n.t("Reasoning"),
    model: l10n.t("Model"),
    call: l10n.t("Call"),
    result: l10n.t("Result"),
    toolError: l10n.t("Tool error"),
    parseError: l10n.t("Not a call"),
    raw: l10n.t("As written"),
    nudge: l10n.t("Sent to the model"),
    silent: l10n.t("The model wrote no text and no call."),
    finished: l10n.t("ends the episode"),
    reward: (reward: string) => l10n.t("reward {0}", reward),
    total: (total: string) => l10n.t("total {0}", total),
    noResult: l10n.t("No result: the rollout ended before this call ran."),
    omitted: (count: number) =>
      plural(
        count,
        "{0} character more. Open as JSON to see all.",
        "{0} characters more. Open as JSON to see all.",
      ),
    omittedTurns: (count: number) =>
      plural(
        count,
        "{0} turn more. Open as JSON to see all.",
        "{0} turns more. Open as JSON to see all.",
      ),
    image: (number: number) => l10n.t("Image {0} of the rollout", number),
    imageFacts: (number: number, width: number, height: number, tokens: number) =>
      plural(
        tokens,
        "[image {1}]: {2} x {3} pixels, {0} token",
        "[image {1}]: {2} x {3} pixels, {0} tokens",
        number,
        width,
        height,
      ),
    showAll: (lines: number, characters: number) =>
      lines > 1
        ? l10n.t("Show all {0} lines", formatCount(lines))
        : l10n.t("Show all {0} characters", formatCount(characters)),
    fold: l10n.t("Fold"),
    copy: l10n.t("Copy"),
    end: l10n.t("Why this reward"),
    received: l10n.t("Received"),
    nothing: l10n.t("nothing"),
    group: l10n.t("Score in the group"),
    groupWhy: l10n.t("by the environment, which compared the rollouts"),
    nonterminal: l10n.t("Unfinished"),
    nonterminalWhy: l10n.t("nonterminal_reward, because the rollout did not finish"),
    reduced: l10n.t("Reduced"),
    clamped: l10n.t("Clamped"),
    unchanged: l10n.t("unchanged by min_reward and max_reward"),
    changed: l10n.t("by min_reward and max_reward"),
    turnHead: l10n.t("Turn"),
    rewardHead: l10n.t("Reward"),
    totalHead: l10n.t("Total"),
    groupName: (size: number) => plural(size, "Group of {0}", "Group of {0}"),
    groupStats: (mean: string, spread: string, low: string, high: string) =>
      l10n.t("mean {0} ± {1}, from {2} to {3}", mean, spread, low, high),
    fromMean: (difference: string) => l10n.t("this one {0} from the mean", difference),
    penalty: l10n.t("Penalty"),
    penaltyWhy: (penalty: string) =>
      l10n.t("{0} off the reward for its length (overlong: penalty)", penalty),
    tokenAdvantage: l10n.t("Per token"),
    tokenWhy: (mean: string, change: string) =>
      l10n.t(
        "{0} on average: {1} by kl_coef or off_policy_correction; Tokens shows each",
        mean,
        change,
      ),
    advantage: l10n.t("Advantage"),
    used: l10n.t("Used"),
    error: l10n.t("Error"),
    failed: l10n.t("failed"),
    retries: (count: number) => l10n.t("start {0}", count + 1),
    expandReasoning: l10n.t("Open all reasoning"),
    collapseReasoning: l10n.t("Close all reasoning"),
    link: (url: string) => l10n.t("Opens {0}", url),
  },

  tokens: {
    label: l10n.t("Tokens"),
    colour: l10n.t("Color by"),
    colours: {
      logprob: l10n.t("Log-probability (sampler)"),
      advantage: l10n.t("Advantage"),
      difference: l10n.t("Trainer − sampler"),
      ratio: l10n.t("Probability ratio"),
    },
    numbers: l10n.t("Numbers"),
    part: (from: number, to: number, total: number) =>
      l10n.t("Tokens {0} to {1} of {2}", formatCount(from), formatCount(to), formatCount(total)),
    previous: l10n.t("Previous tokens"),
    next: l10n.t("Next tokens"),
    stream: l10n.t("Stream"),
    streamOf: (stream: number, firstTurn: number, lastTurn: number) =>
      firstTurn === lastTurn
        ? l10n.t("{0}: turn {1}", stream, firstTurn)
        : l10n.t("{0}: turns {1} to {2}", stream, firstTurn, lastTurn),
    idsOnly: l10n.t("Ids only: the run's tokenizer could not be loaded."),
    notTrained: (trainingUse: string) =>
      l10n.t("Only rollouts that were trained on have token data. This one: {0}.", trainingUse),
    evaluated: l10n.t(
      "This rollout is stored without tokens: it failed early, or an earlier version evaluated it.",
    ),
    masked: l10n.t("not trained on"),
    unknown: l10n.t("not known"),
    prompt: l10n.t("prompt"),
    position: l10n.t("Position"),
    id: l10n.t("Id"),
    text: l10n.t("Text"),
    source: l10n.t("Source"),
    sampler: l10n.t("Sampler log-prob"),
    trainer: l10n.t("Trainer log-prob"),
    probability: l10n.t("Probability"),
    advantage: l10n.t("Advantage"),
    hint: l10n.t("Choose a token, or move with the arrow keys, to see its numbers."),
    legend: l10n.t("Legend"),
  },
} as const;
