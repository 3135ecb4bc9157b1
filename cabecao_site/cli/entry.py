"""Where the console script begins: so small that hardly an interrupt comes before it can be met."""

STOPPED = 130


def main() -> int:
    """Run the command line; an interrupt while it is still being loaded ends it as quietly as any later one."""
    try:
        from cabecao_site.cli.__main__ import main as run

        return run()
    except KeyboardInterrupt:
        return STOPPED
