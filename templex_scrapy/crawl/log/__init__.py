"""What a crawl tells its user while it runs and at its end."""
