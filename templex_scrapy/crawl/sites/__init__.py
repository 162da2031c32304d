"""The sites of a crawl: their pages are cleaned, their templates are searched for, stored, and kept in memory."""
