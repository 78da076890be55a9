"""Makes cookbookModels.json: what tinker-cookbook 0.6.1 knows of the models of Tinker.

Usage: cookbookModels.py > cookbookModels.json
Needs `pip install tinker-cookbook==0.6.1`; its dependency tml-renderers is not needed.
"""

import json

from tinker_cookbook import hyperparam_utils, model_info
from tinker_cookbook.eval.benchmarks._types import _MODEL_EVAL_DEFAULTS
from tinker_cookbook.exceptions import ConfigurationError

TABLES = ["llama", "qwen", "deepseek", "gpt_oss", "moonshot", "zai", "nvidia", "thinkingmachines"]


def learning_rate(name):
    """For supervised training with LoRA; None if the cookbook has no formula for the family."""
    try:
        return hyperparam_utils.get_lr(name)
    except (NotImplementedError, ConfigurationError):
        return None


def known(organization, name, attributes):
    plain = f"{organization}/{name}"
    offered = {full: facts for full, facts in _MODEL_EVAL_DEFAULTS.items() if full.split(":")[0] == plain}
    return {
        "name": plain,
        "size": attributes.size_str,
        "reads_images": attributes.is_vl,
        "hidden_size": hyperparam_utils._get_hidden_size(plain),
        "learning_rate": learning_rate(plain),
        # By the name under which the service has the model; empty if the cookbook does not say.
        "contexts": {full: facts["context_window"] for full, facts in offered.items()},
    }


tables = [getattr(model_info, f"get_{table}_info")() for table in TABLES]
models = [known(facts.organization, name, facts) for table in tables for name, facts in table.items()]
print(json.dumps(models, indent=1))
