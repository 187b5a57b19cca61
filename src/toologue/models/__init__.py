"""Models: text similarity now; embedders, the retriever and language-model clients live here as well."""
