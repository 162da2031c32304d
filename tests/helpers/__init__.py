"""What tests share: makers of pages and sites, servers, and runs of crawls and programs."""
