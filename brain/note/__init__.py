"""Notes as text: frontmatter, links, headings, blocks, Markdown. Pure: no files, no database, no framework."""
