"""What the published client offers."""

from importlib.metadata import version

from performing import tell

import actae_client
from actae_client import adapters, client, errors, session


def public(thing):
    """Names without an underscore."""
    return [name for name in dir(thing) if not name.startswith("_")]


tell(
    {
        "version": version("actae-client"),
        "file": actae_client.__file__,
        "ActaeClient": public(actae_client.ActaeClient),
        "Capabilities": public(client.Capabilities),
        "Actae": public(actae_client.Actae),
        "ActaeScope": public(actae_client.ActaeScope),
        "ActaeCarrier": public(actae_client.ActaeCarrier),
        "GroupSession": public(actae_client.GroupSession),
        "GroupMemberSession": public(actae_client.GroupMemberSession),
        "AgentSession": public(session.AgentSession),
        "StateManager": public(adapters.StateManager),
        "ActaeToolExecutor": public(adapters.ActaeToolExecutor),
        "ActaeRunContext": public(adapters.ActaeRunContext),
        "errors": [
            name
            for name, each in vars(errors).items()
            if isinstance(each, type) and issubclass(each, Exception)
        ],
    }
)
