from collections import Counter
import re
from tests.crash import test_model as m
def test_hist(server, server_clock):
    seen = Counter()
    real = m.BesideTheServer.send
    def send(self, method, path, body, expected):
        t = re.sub(r"model-\w+(~\w+)?", "X", path.split("?")[0]); t = re.sub(r"/\d+$","/N",t)
        code = expected.body.get("status") if isinstance(expected.body, dict) else ""
        seen[(method, t, expected.status, code if isinstance(code,str) else "")] += 1
        return real(self, method, path, body, expected)
    m.BesideTheServer.send = send
    try:
        m.run_beside(server, server_clock, runs=100, steps=50)
    finally:
        for k, v in sorted(seen.items()): print(k, v)
