"""Plays of each library by its own means, for bridges.test.ts: prints the rewards of scripted answers as JSON."""

import asyncio
import json
import random
import sys


def reasoning_gym_plays(answers):
    import reasoning_gym

    dataset = reasoning_gym.create_dataset("chain_sum", size=8, seed=5, max_terms=2)
    rewards = []
    for place, answer in enumerate(answers):
        entry = dataset[place]
        given = entry["answer"] if answer is None else answer
        rewards.append({"given": given, "reward": dataset.score_answer(given, entry)})
    return rewards


def textarena_plays(games):
    import textarena

    played = []
    for seed, actions in enumerate(games):
        random.seed(seed)
        game = textarena.make("GuessTheNumber-v0")
        game.reset(num_players=1, seed=seed)
        taken, done = 0, False
        for action in actions:
            game.get_observation()
            done, _ = game.step(action=action)
            taken += 1
            if done:
                break
        rewards, _ = game.close() if done else ({0: None}, None)
        played.append({"taken": taken, "reward": rewards[0]})
    return played


def verifiers_plays(answers):
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.types import AssistantMessage, UserMessage
    from verifiers.v1.utils.loaders import load_taskset, taskset_config_type

    tasks = list(load_taskset(taskset_config_type("my-sums")(id="my-sums")))
    rewards = []
    for task, answer in zip(tasks, answers):
        nodes = [
            MessageNode(message=UserMessage(content=task.data.prompt)),
            MessageNode(message=AssistantMessage(content=answer), parent=0, sampled=True),
        ]
        trace = vf.Trace(
            task=vf.TraceTask(type=type(task).__name__, data=task.data),
            agent=vf.AgentInfo(config=vf.AgentConfig()),
            nodes=nodes,
        )
        asyncio.run(task.score(trace))
        rewards.append(trace.reward)
    return rewards


def openenv_plays(plays):
    import importlib

    module = importlib.import_module("higher")
    played = []
    for seed, guesses in enumerate(plays):
        environment = module.HigherEnvironment()
        environment.reset(seed=seed)
        rewards = [environment.step(module.Guess(number=number)) for number in guesses]
        played.append([{"reward": seen.reward, "done": seen.done} for seen in rewards])
    return played


PLAYS = {
    "reasoning-gym": reasoning_gym_plays,
    "textarena": textarena_plays,
    "verifiers": verifiers_plays,
    "openenv": openenv_plays,
}

print(json.dumps(PLAYS[sys.argv[1]](json.loads(sys.argv[2]))))
