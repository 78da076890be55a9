"""What the official client posts for prompts and training data that hold images.

Reads `{"prompts": [[CHUNK, ...], ...], "call": {"model_id", "seq_id", "loss_fn", "data": [{"chunks", "loss_fn_inputs"}]}}` from its
standard input, a CHUNK being a list of ids or `{"data": base64, "format", "expected_tokens"}`, and prints the bodies: JSON for prompts,
and for the call its bytes in hexadecimal, beside them the JSON, length and estimated bytes of each datum's input.
"""

import base64
import json
import sys

from tinker import types
from tinker._compat import model_dump
from tinker.lib.public_interfaces.training_client import _estimate_datum_bytes_count_proto
from tinker.proto.request_conv import forward_backward_request_to_proto
from tinker.types.forward_backward_input import ForwardBackwardInput
from tinker.types.forward_backward_request import ForwardBackwardRequest
from tinker.types.sample_request import SampleRequest


def model_input(chunks):
    return types.ModelInput(chunks=[chunk_of(chunk) for chunk in chunks])


def chunk_of(chunk):
    if isinstance(chunk, list):
        return types.EncodedTextChunk(tokens=chunk)
    return types.ImageChunk(**{**chunk, "data": base64.b64decode(chunk["data"])})


def body_of_sample(chunks):
    request = SampleRequest(
        sampling_session_id="S:sample:0",
        seq_id=0,
        num_samples=1,
        prompt=model_input(chunks),
        sampling_params=types.SamplingParams(max_tokens=6, seed=7, stop=[9], temperature=1, top_k=-1, top_p=1),
        prompt_logprobs=False,
    )
    # As `resources/sampling.py` does.
    return model_dump(request, exclude_unset=False, exclude_none=True, mode="json")


def body_of_call(call):
    data = [
        types.Datum(model_input=model_input(datum["chunks"]), loss_fn_inputs=datum["loss_fn_inputs"])
        for datum in call["data"]
    ]
    request = ForwardBackwardRequest(
        forward_backward_input=ForwardBackwardInput(data=data, loss_fn=call["loss_fn"]),
        model_id=call["model_id"],
        seq_id=call["seq_id"],
    )
    message = forward_backward_request_to_proto(request)
    # As `resources/training.py` does, with the arrays in the order of their names.
    message.forward_only = False
    return {
        "hex": message.SerializeToString(deterministic=True).hex(),
        "inputs": [model_dump(datum.model_input, exclude_none=True, mode="json") for datum in data],
        "lengths": [datum.model_input.length for datum in data],
        "sizes": [_estimate_datum_bytes_count_proto(datum) for datum in data],
    }


asked = json.load(sys.stdin)
answer = {"prompts": [body_of_sample(chunks) for chunks in asked["prompts"]], "call": body_of_call(asked["call"])}
json.dump(answer, sys.stdout)
