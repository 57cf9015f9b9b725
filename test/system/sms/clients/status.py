"""A client of text messages, made from the public rule of signing alone.

usage: status.py URL APP KEY CERTIFICATE MOBILE MOBILE MOBILE
Records a batch, reports on two of its messages, asks both ways, and prints what it got as JSON.
"""

import hashlib
import json
import ssl
import sys
import time
import urllib.parse
import urllib.request

url, app, key, certificate, *mobiles = sys.argv[1:]
context = ssl.create_default_context(cafile=certificate)


def sign(fields):
    pairs = [f"{name}={fields[name]}" for name in sorted(fields, key=str.lower)]
    text = "&".join([*pairs, key])
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def now():
    return str(int(time.time() * 1000))


def ask(method, path, fields=None, body=None):
    """Parameters travel in the query of a GET, or of a POST with a body of its own; else in a form."""
    fields = fields or {}
    signed = {**fields, "body": body} if body is not None else fields
    encoded = urllib.parse.urlencode({**fields, "signature": sign(signed)})
    version, call = path.split("/", 1)
    target = f"{url}/api/{version}/{app}/{call}"
    if method == "GET" or body is not None:
        target = f"{target}?{encoded}"
    data = None if method == "GET" else (body or encoded).encode("utf-8")
    request = urllib.request.Request(target, data=data, method=method)
    with urllib.request.urlopen(request, context=context) as answer:
        return json.load(answer)


recorded = ask("POST", "v1/batch/record", {"mobiles": json.dumps(mobiles), "note": "小王 & 小李", "timestamp": now()})
rrid = recorded["data"]["rrid"]
push = {
    "type": 1,
    "data": [
        {
            "status": status,
            "deliveryStatus": code,
            "mobile": mobile,
            "rrid": rrid,
            "receiveTime": "2017-04-20 16:09:05",
        }
        for mobile, status, code in [(mobiles[1], "Failure", "MY:1109"), (mobiles[0], "Success", "DELIVRD")]
    ],
}
answers = {
    "recorded": recorded,
    "reported": ask("POST", "v1/report", {"timestamp": now()}, json.dumps(push)),
    "batch": ask("GET", "v1/status", {"rrid": rrid}),
    "batchSent": ask("POST", "v1/send", {"rrid": rrid}),
    "news": ask("GET", "v2/status", {"timestamp": now()}),
    "newsSent": ask("POST", "v2/send", {"timestamp": now()}),
}
print(json.dumps(answers))
