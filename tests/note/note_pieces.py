"""Bodies put together from what Markdown gives a meaning to."""

from hypothesis import strategies as st

PIECES = st.lists(
    st.sampled_from(
        ["# A", "## B ##", "```", "~~~~", "````", "- ```", "> ```", "===", "---", "a", "`", "``x`", "[[A]]", "![[B#c|d]]", "[x](a.md)", "\n[x]: a.md", "\\", "|",
         "  ", "\t", "\n", "\r\n", "\n\n", "[", "]", "(", ")", "<", ">", "!", "é", "🚀", "\u2028", "\0"]
    ),
    max_size=30,
).map("".join)  # fmt: skip
