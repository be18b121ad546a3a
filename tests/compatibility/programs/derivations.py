"""Every identifier that is derived, for the identities on the command line. Asks no server."""

import json
import sys

from performing import tell

from actae_client import Actae, ActaeCarrier, ActaeClient, channel_for_run, deterministic_operation_key

url, key = sys.argv[1:3]
identities = json.loads(sys.argv[3])
queue = Actae(ActaeClient(endpoint=url, api_key=key)).orchestrator("celery")

tell(
    {
        "keys": [deterministic_operation_key(*identity) for identity in identities],
        "effect_keys": [queue.effect_key(task, "charge", "4471") for _, task, *_ in identities],
        "channels": [channel_for_run(run, space) for space, run, *_ in identities],
        "carriers": [queue.carrier(run).to_dict() for _, run, *_ in identities],
        "carried": [
            ActaeCarrier.from_dict(queue.carrier(run).to_dict()).to_dict() for _, run, *_ in identities
        ],
    }
)
