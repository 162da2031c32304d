"""What can go wrong with a store, by meaning."""

from __future__ import annotations


class StoreError(Exception):
    """Something went wrong with a store of templates; the message says what."""


class StoreUnavailableError(StoreError):
    """The store cannot do that now: the server is away, the disk full, the file read-only or locked by others.

    The same may work later. Nothing was changed, or it is not known whether it was.
    """


class TemplateTooLargeError(StoreError):
    """A template takes more bytes than may be kept of one; nothing was stored."""


class RecordError(StoreError):
    """A record is damaged, or was written by something else; nothing in it is used."""


class NewerRecordError(RecordError):
    """A record was written by a later version of this package, which knows what to do with it."""


class NoSuchTemplateError(StoreError, LookupError):
    """There is no such template in the store, or more than one that may be meant; the message says which."""
