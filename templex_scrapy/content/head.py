"""What the head and the address of a page declare about it."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from templex_scrapy.content.selection import words_of
from templex_scrapy.page import Page, head_of

# on such a page the readers' posts are the content: "Is the bridge open?" is no comment below an article
_FORUM_TYPES = frozenset({"DiscussionForumPosting", "QAPage"})
_FORUM_GENERATORS = re.compile(
    r"discourse|flarum|fluxbb|invision|mybb|nodebb|phpbb|punbb|simple machines|vanilla|vbulletin|woltlab|xenforo",
    re.IGNORECASE,
)
# most forums declare nothing; their addresses are those of a few programs, such as viewtopic.php?t=1 of phpBB
_FORUM_URL = re.compile(  # in lower case, which is searched in half of the time
    r"^https?://(?:[\w.-]*forum|(?:\w+\.)?(?:answers|boards|community|discourse|discuss)\.)"
    r"|/(?:forums?|threads?|boards?)/|/(?:discussions?|questions|topics?|t(?:/[\w-]+)?)/\d|/comments/\w+/"
    r"|showthread|showtopic|viewtopic|[?&]topic=\d"
)


class Head(NamedTuple):
    """What head and address declare.

    Attributes:
        title: the words of the title.
        is_forum: whether the page shows a thread, a question with answers, or a list of them.
    """

    title: str = ""
    is_forum: bool = False

    @classmethod
    def of(cls, page: Page) -> Self:
        """Read the title, and whether URL, generator or Schema.org types (JSON-LD) are those of a forum."""
        head = head_of(page)
        is_forum = (
            _FORUM_URL.search(page.url.lower())
            or _FORUM_GENERATORS.search("\n".join(head.metas.get("generator", ())))
            or not _FORUM_TYPES.isdisjoint(head.data.types)
        )
        return cls(words_of(page.title), bool(is_forum))


NO_HEAD = Head()
"""Nothing is declared."""
