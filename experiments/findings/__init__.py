"""Audits of public libraries' compressors, made again from checkouts of them."""
