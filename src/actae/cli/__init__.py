"""The command line: one file per concept. Heavy imports stand inside the commands that need them."""

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="actae", message="actae %(version)s")
def main() -> None:
    """Effect history for AI agents: a restart never repeats a side effect."""


from actae.cli import serve as _serve  # noqa: E402, F401  # registers itself on the group above
