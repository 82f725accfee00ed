# SPDX-License-Identifier: Apache-2.0
"""The same parameters to mod_bench and to Rack 2.2: what each of them makes of them."""

from . import script
from .rack import ASKED, brief, environment

SCRIPTS = [
    script("url.mrb", ASKED + "\nprint Asked.one(request, :GET)"),
    script("query.mrb", ASKED + "\n" + """
        print Asked.one(Rack::Request.new("QUERY_STRING" => request.body.read), :GET)
    """),
    script("form.mrb", ASKED + "\nprint Asked.one(request, :POST)"),
    script("multipart.mrb", ASKED + "\nprint Asked.one(request, :POST)")]


def ours(connection, kind, media_type, data):
    if kind == "url":
        answer = connection.get("/url.mrb?" + data.decode("latin-1"))
    else:
        headers = {"Content-Type": media_type} if media_type else {}
        answer = connection.request("POST", f"/{kind}.mrb", data, headers)
    return brief(answer.text) if answer.status == 200 else f"status {answer.status}"


def racks(rack, kind, media_type, data):
    text = data.decode("latin-1")
    return brief(_ask(rack, kind, media_type, data, text))


def _ask(rack, kind, media_type, data, text):
    if kind in ("url", "query"):
        return rack.ask({"ask": "GET", "env": environment("GET", "/x.mrb", text), "body": ""})
    headers = {"Content-Length": str(len(data))}
    if media_type:
        headers["Content-Type"] = media_type
    env = environment("POST", "/x.mrb", "", headers)
    return rack.ask({"ask": "POST", "env": env, "body": text})


def agree(mine, wanted):
    """The same; where Rack raises what it does not mean to, there is no model to follow."""
    return mine == wanted or (wanted == "! other" and not mine.startswith("status"))
