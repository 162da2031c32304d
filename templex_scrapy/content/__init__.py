"""What a page is about: main content and main menu."""
