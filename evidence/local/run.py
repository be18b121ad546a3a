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

_ABOUT_TOKENS: Final = (
    """So small a model does not do what it is asked; it writes past the question, as `report.json` shows. The
    prompts, the calls, the fork and the counts are real all the same. The lengths of the answers are those of
    a model that nobody would use for this work.""",
)
_ABOUT_FIDELITY: Final = (
    """So small a model does not do what it is asked, in the baseline no more than elsewhere: it invents,
    drifts and repeats itself, as the texts below show. Two runs of one prompt have little in common, so an
    absolute threshold is hard to reach for any tail, of a fork or not. What can be read here is how forks
    compare with controls, and that the machinery works with a real model.""",
    """Whether the tail of a fork is faithful with a model that is fit for such work, this run cannot show.
    That takes an endpoint with one: the same suite runs against it.""",
    """As a judge the model is of no use: hardly any of its answers is a verdict. That is why the embeddings
    decide, with all that they cannot see.""",
)


def run_locally(out: Path, tell: Tell) -> bool:
    """Write both reports below `out`; whether all checks hold and all scenarios pass.

    The judge by embeddings decides: a model of this size cannot judge, and what it says is shown beside.
    Raises `EvidenceError`.
    """
    with packaged_minilm(tell) as embedder, model_server(tell) as server:
        model = EndpointModel(server.base_url, MODEL, max_tokens=MAX_TOKENS)
        holds = report_tokens(out / "tokens", model, _origin(server, _ABOUT_TOKENS), ASKING)
        judges = (EmbeddingJudge(embedder), ModelJudge(model))
        court = Court(judges=judges, decider=EmbeddingJudge.name, bars=BARS)
        origin = _origin(server, _ABOUT_FIDELITY)
        passes = report_fidelity(out / "fidelity", model, court, origin, ASKING, SAMPLES, tell)
    return holds and passes


def _origin(server: ModelServer, remarks: tuple[str, ...]) -> Origin:
    machine = this_machine()
    facts = server.facts
    return Origin(
        mode="measured",
        command=COMMAND,
        provenance=prose(f"""
            Made on {machine}. Nothing but this machine was asked. The model is `{facts["weights"]}` from the
            package {facts["weights_package"]} (SHA-256 `{facts["weights_sha256"]}`), served by
            {facts["served_by"]} with a context of {facts["context_tokens"]:,} tokens; an answer has at most
            {MAX_TOKENS} tokens.
        """),
        facts={"machine": asdict(machine), "model_file": facts},
        remarks=remarks,
    )
