"""One run of the demo from the command line: a directory, a stage, a voice, an exit code."""

from pathlib import Path

from actae.demo.console_voice import ConsoleVoice
from actae.demo.interrupts import Interrupted, interruptible, undisturbed_afterwards
from actae.demo.json_voice import JsonVoice
from actae.demo.performance import perform
from actae.demo.processes import DemoError
from actae.demo.stage import set_up
from actae.demo.workspace import workspace


def run(*, as_json: bool, keep: bool, data_dir: Path | None) -> int:
    """Set up, play, clear away, tell; see `run_demo`."""
    voice = JsonVoice() if as_json else ConsoleVoice()
    voice.opening()
    try:
        with (
            interruptible(),
            workspace(data_dir, keep=keep) as directory,
            set_up(directory) as stage,
            undisturbed_afterwards(),
        ):
            voice.stage_is_set(stage)
            performance = perform(stage, on_outcome=voice.outcome)
    except Interrupted as interruption:
        voice.failed(str(interruption))
        return interruption.exit_code
    except DemoError as error:
        voice.failed(str(error))
        return 1
    voice.closing(performance, kept_in=directory if directory.exists() else None)
    return 0 if performance.is_as_promised() else 1
