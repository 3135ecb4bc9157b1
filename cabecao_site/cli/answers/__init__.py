"""`cabecao llm`: what the person decides about answers from a language model, at the terminal alone."""
