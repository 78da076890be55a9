"""Chat templates in Python's Jinja2, set up as transformers sets it up (`utils/chat_template_utils.py`, `_compile_jinja_template`).

Usage: chatTemplates.py REQUEST.json ANSWER.json

The request is {"templates": [SOURCE, …], "variables": [{…}, …]}; the answer has one row per template with one entry per
set of variables: {"text": …} or {"error": …}.
"""

import json
import sys

from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    """The tag around model turns, which transformers reads for its mask of assistant tokens."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def strftime_now(form):
    return form.replace("%d", "02").replace("%b", "Jan").replace("%m", "01").replace("%Y", "2026")


def compile_template(source):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = strftime_now
    return environment.from_string(source)


def render(template, variables):
    try:
        return {"text": template.render(**variables)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    templates = [compile_template(source) for source in request["templates"]]
    answer = [[render(template, variables) for variables in request["variables"]] for template in templates]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(answer, file)


main()
