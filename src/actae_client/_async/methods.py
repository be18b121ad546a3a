"""All methods of the client, also grouped by concept."""

from __future__ import annotations

from actae_client._async.accounts import AccountMethods
from actae_client._async.approvals import ApprovalMethods
from actae_client._async.channels import ChannelMethods
from actae_client._async.checklists import ChecklistMethods
from actae_client._async.consumer_groups import ConsumerGroupMethods
from actae_client._async.events import EventMethods
from actae_client._async.execution_groups import ExecutionGroupMethods
from actae_client._async.executions import ExecutionMethods
from actae_client._async.experiments import ExperimentMethods
from actae_client._async.forks import ForkMethods
from actae_client._async.guards import GuardMethods
from actae_client._async.health import HealthMethods
from actae_client._async.ledger import LedgerMethods
from actae_client._async.retention import RetentionMethods
from actae_client._async.runs import RunMethods
from actae_client._async.states import StateMethods
from actae_client._async.wakeups import WakeupMethods
from actae_client._facade import facade


class ChannelFacade(ChannelMethods, RunMethods, ForkMethods):
    """What channels there are, what one is, and what is forked from it."""


class ExecutionFacade(ExecutionMethods, LedgerMethods):
    """Running operations, looking at them, and saying what became of them."""


class Methods(
    EventMethods,
    StateMethods,
    ChannelFacade,
    ExecutionFacade,
    ApprovalMethods,
    GuardMethods,
    ExperimentMethods,
    WakeupMethods,
    ConsumerGroupMethods,
    ExecutionGroupMethods,
    ChecklistMethods,
    RetentionMethods,
    AccountMethods,
    HealthMethods,
):
    """Every method by its flat name. A facade has those of one concept: `client.events.record`."""

    @property
    def events(self) -> EventMethods:
        """The methods about events."""
        return facade(self, EventMethods)

    @property
    def state(self) -> StateMethods:
        """The methods about state snapshots."""
        return facade(self, StateMethods)

    @property
    def channels(self) -> ChannelFacade:
        """The methods about channels and forks."""
        return facade(self, ChannelFacade)

    @property
    def executions(self) -> ExecutionFacade:
        """The methods about the ledger."""
        return facade(self, ExecutionFacade)

    @property
    def wakeups(self) -> WakeupMethods:
        """The methods about wake-ups."""
        return facade(self, WakeupMethods)

    @property
    def approvals(self) -> ApprovalMethods:
        """The methods about questions to people."""
        return facade(self, ApprovalMethods)

    @property
    def guards(self) -> GuardMethods:
        """The methods about guards."""
        return facade(self, GuardMethods)

    @property
    def groups(self) -> ConsumerGroupMethods:
        """The methods about consumer groups."""
        return facade(self, ConsumerGroupMethods)

    @property
    def retention(self) -> RetentionMethods:
        """The methods about how long channels are kept, and what takes room."""
        return facade(self, RetentionMethods)

    @property
    def auth(self) -> AccountMethods:
        """The methods about users, keys and the server itself."""
        return facade(self, AccountMethods)

    @property
    def health(self) -> HealthMethods:
        """The methods about how the server is."""
        return facade(self, HealthMethods)
