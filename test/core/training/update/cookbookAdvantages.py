"""Makes cookbookAdvantages.json: what tinker-cookbook 0.6.1 makes of recorded log-probabilities, with and without teachers.

Usage: cookbookAdvantages.py > cookbookAdvantages.json
Needs `pip install tinker-cookbook==0.6.1 torch`. Random rollouts of two datasets pass its own functions, from rewards to the
advantages that it sends; its sampling clients are replaced by ones that answer with the recorded log-probabilities.
"""

import asyncio
import json
import random
from types import SimpleNamespace

import tinker
from tinker_cookbook.completers import TokensWithLogprobs
from tinker_cookbook.distillation.train_on_policy import incorporate_kl_penalty as distill
from tinker_cookbook.rl.data_processing import assemble_training_data, compute_advantages
from tinker_cookbook.rl.metrics import incorporate_kl_penalty as penalize
from tinker_cookbook.rl.types import Trajectory, TrajectoryGroup, Transition

VOCABULARY = 500
# The dataset of each group, and the rewards of its rollouts.
GROUPS = [(0, [1, 0, 0.5]), (1, [0, 1]), (0, [1, 1])]
# Tokens of the turns of each stream of a rollout, which its rollouts have by turns.
SHAPES = [[[3]], [[2, 4, 1]], [[5], [3, 2]]]
CASES = [
    {"name": "rewards alone"},
    {"name": "teachers and rewards, weighed and discounted", "kind": "teachers", "coef": 0.3, "discount": 0.9},
    {"name": "teachers alone, weighed and discounted", "kind": "teachers", "coef": 2.5, "discount": 0.5, "withoutRewards": True},
    {"name": "penalty for leaving the base model, discounted", "kind": "base", "coef": 0.2, "discount": 0.8},
]


def ids(draw, count):
    return [draw.randrange(VOCABULARY) for _ in range(count)]


def logprobs(draw, count):
    return [round(-draw.expovariate(1), 4) for _ in range(count)]


def random_stream(draw, turns):
    parts = [{"context": ids(draw, 4)}]
    for count in turns:
        parts += [{"sampled": ids(draw, count), "logprobs": logprobs(draw, count)}, {"context": ids(draw, 2)}]
    parts.pop()
    length = sum(len(part.get("sampled", part.get("context"))) for part in parts)
    # Of each token but the first, by the model of each dataset.
    return {"parts": parts, "models": [logprobs(draw, length - 1) for _ in range(2)]}


def random_groups():
    draw = random.Random(7)
    groups = []
    for dataset, rewards in GROUPS:
        rollouts = [
            {"reward": reward, "streams": [random_stream(draw, turns) for turns in SHAPES[i % len(SHAPES)]]}
            for i, reward in enumerate(rewards)
        ]
        groups.append({"dataset": dataset, "rollouts": rollouts})
    return groups


def whole(stream):
    return [token for part in stream["parts"] for token in part.get("sampled", part.get("context"))]


def trajectory(rollout, reward):
    transitions = []
    for stream in rollout["streams"]:
        seen = []
        for part in stream["parts"]:
            if "sampled" in part:
                action = TokensWithLogprobs(part["sampled"], part["logprobs"])
                transitions.append(Transition(tinker.ModelInput.from_ints(list(seen)), action, 0.0, False))
            seen += part.get("sampled", part.get("context"))
    return Trajectory(transitions, tinker.ModelInput.from_ints([])), reward


class Answer:
    def __init__(self, value):
        self.value = value

    async def coroutine(self):
        return self.value


class Recorded:
    """In the place of a sampling client: the recorded log-probabilities of one model."""

    def __init__(self, groups, model):
        streams = [stream for group in groups for rollout in group["rollouts"] for stream in rollout["streams"]]
        self.known = {tuple(whole(stream)): [None, *stream["models"][model]] for stream in streams}

    def compute_logprobs(self, sequence):
        return Answer(self.known[tuple(sequence.to_ints())])

    def sample(self, *, prompt, **_):
        logprobs = self.known[tuple(prompt.to_ints())]
        return Answer(SimpleNamespace(prompt_logprobs=logprobs, prompt_cache_hit_tokens=0, sequences=[]))


def rounded(values):
    return [float(f"{value:.8g}") for value in values]


async def answer(groups, case):
    rewarded = [
        [trajectory(rollout, 0.0 if case.get("withoutRewards") else float(rollout["reward"])) for rollout in group["rollouts"]]
        for group in groups
    ]
    trajectories = [
        TrajectoryGroup([one for one, _ in own], [reward for _, reward in own], [{} for _ in own]) for own in rewarded
    ]
    data, places = assemble_training_data(trajectories, compute_advantages(trajectories), include_provenance=False)
    datasets = [groups[place["group_idx"]]["dataset"] for place in places]
    models = [Recorded(groups, 0), Recorded(groups, 1)]
    metrics = {}
    if case.get("kind") == "teachers":
        teachers = [models[dataset] for dataset in datasets]
        metrics = await distill(data, teachers, datasets, case["coef"], case["discount"])
    elif case.get("kind") == "base":
        metrics, _ = await penalize(data, models[0], case["coef"], case["discount"])
    advantages = [rounded(datum.loss_fn_inputs["advantages"].data) for datum in data]
    return {**case, "advantages": advantages, "metrics": {name: rounded([value])[0] for name, value in metrics.items()}}


async def main():
    groups = random_groups()
    cases = [await answer(groups, case) for case in CASES]
    print(json.dumps({"groups": groups, "cases": cases}, separators=(",", ":")))


asyncio.run(main())
