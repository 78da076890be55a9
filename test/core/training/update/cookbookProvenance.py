"""Makes cookbookProvenance.json: the request that tinker 0.38.0 sends for a rollout with provenance from tinker-cookbook 0.6.1.

Usage: cookbookProvenance.py > cookbookProvenance.json
Needs `pip install tinker==0.38.0 tinker-cookbook==0.6.1 torch`.
"""

import json

from tinker import ModelInput
from tinker.proto.request_conv import forward_backward_request_to_proto
from tinker.types.forward_backward_input import ForwardBackwardInput
from tinker.types.forward_backward_request import ForwardBackwardRequest
from tinker_cookbook.completers import TokensWithLogprobs
from tinker_cookbook.rl.data_processing import trajectory_to_data
from tinker_cookbook.rl.train import _remove_mask
from tinker_cookbook.rl.types import Trajectory, Transition

# Two turns in one growing sequence; then one whose context was rendered again without the first turn, and a turn of one token.
TURNS = [
    {"prompt": [1, 2, 3], "sampled": [10, 11, 12], "logprobs": [-0.5, -0.25, -1], "sequence": "s:a:0"},
    {"prompt": [1, 2, 3, 10, 11, 12, 4, 5], "sampled": [20, 21], "logprobs": [-0.125, -2], "sequence": "s:b:0"},
    {"prompt": [1, 6], "sampled": [30, 31], "logprobs": [-0.5, -0.5], "sequence": "s:c:0"},
    {"prompt": [1, 6, 30, 31, 7], "sampled": [40], "logprobs": [-0.75], "sequence": "s:d:0"},
]
ADVANTAGE = 1.5

transitions = [
    Transition(
        ob=ModelInput.from_ints(turn["prompt"]),
        ac=TokensWithLogprobs(
            tokens=turn["sampled"], maybe_logprobs=turn["logprobs"], sequence_id=turn["sequence"]
        ),
        reward=0.0,
        episode_done=False,
    )
    for turn in TURNS
]
data = trajectory_to_data(Trajectory(transitions=transitions, final_ob=ModelInput.empty()), ADVANTAGE)
request = ForwardBackwardRequest(
    forward_backward_input=ForwardBackwardInput(
        data=[_remove_mask(datum) for datum in data], loss_fn="stable_reinforce"
    ),
    model_id="m:train:0",
    seq_id=3,
)
message = forward_backward_request_to_proto(request).SerializeToString(deterministic=True)
print(json.dumps({"turns": TURNS, "advantage": ADVANTAGE, "request": message.hex()}, indent=1))
