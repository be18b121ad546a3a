"""Both reports with the packaged model, on this machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks.harness.machine import this_machine
from evidence.fidelity.suite import Court
from evidence.harness.agent import Asking
from evidence.judges.embedding_judge import EmbeddingJudge
from evidence.judges.model_judge import ModelJudge
from evidence.local.embedder import packaged_minilm
from evidence.local.environment import Tell
from evidence.local.model_server import MODEL, ModelServer, model_server
from evidence.markdown import prose
from evidence.models.endpoint import EndpointModel
from evidence.origin import Origin
from evidence.running import BARS, report_fidelity, report_tokens

COMMAND: Final = "make evidence-local"
MAX_TOKENS: Final = 200
ASKING: Final = Asking(temperature=0.7, seed=1)
SAMPLES: Final = 3


def run_locally(out: Path, tell: Tell) -> bool:
    """Write both reports below `out`; whether all checks hold and all scenarios pass.

    The judge by embeddings decides: a model of this size cannot judge, and what it says is shown beside.
    Raises `EvidenceError`.
    """
    with packaged_minilm(tell) as embedder, model_server(tell) as server:
        origin = _origin(server)
        model = EndpointModel(server.base_url, MODEL, max_tokens=MAX_TOKENS)
        holds = report_tokens(out / "tokens", model, origin, ASKING)
        judges = (EmbeddingJudge(embedder), ModelJudge(model))
        court = Court(judges=judges, decider=EmbeddingJudge.name, bars=BARS)
        passes = report_fidelity(out / "fidelity", model, court, origin, ASKING, SAMPLES, tell)
    return holds and passes


def _origin(server: ModelServer) -> Origin:
    machine = this_machine()
    facts = server.facts
    return Origin(
        mode="measured",
        command=COMMAND,
        provenance=prose(f"""
            Made on {machine}, without a network. The model is `{facts["weights"]}` from the package
            {facts["weights_package"]} (SHA-256 `{facts["weights_sha256"]}`), served by {facts["served_by"]}
            with a context of {facts["context_tokens"]:,} tokens; an answer has at most {MAX_TOKENS} tokens.
        """),
        facts={"machine": asdict(machine), "model_file": facts},
    )
