"""Text: all that knows English: words of names, values in sentences, what a sentence claims, phrases to say things."""
