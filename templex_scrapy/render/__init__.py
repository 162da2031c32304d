"""Node positions in, HTML, text or Markdown out."""
