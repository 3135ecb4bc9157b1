"""The brain's other copy: where it is, what goes to and fro, and how two histories become one."""
