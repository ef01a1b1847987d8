"""The command as a module: `python -m supple`."""

from supple.cli import main

if __name__ == "__main__":
    main()
