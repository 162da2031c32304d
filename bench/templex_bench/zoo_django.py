"""Render items as a shop or a forum: applications of Django with the templates that they come with.

A program of its own for :mod:`templex_bench.zoo`, as Django is set up once in a process: it reads the items from
``items.json``, fills a database in memory, and saves what links lead to from the start page, for a visitor who is not
known. The blocks of an item are a product's description, or the posts of a thread.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html as lxml_html

PAGES = 150
"""Pages of a site, at most."""

MEMBERS = ("miller", "weaver", "cooper", "tanner")

_CONTRIB = [f"django.contrib.{name}" for name in "admin auth contenttypes sessions messages sites staticfiles".split()]


def _model(app: str, name: str) -> Any:
    return import_module("django.apps").apps.get_model(app, name)


def _oscar() -> dict[str, Any]:
    shop = "analytics checkout address shipping catalogue communication partner basket payment offer order customer"
    dashboard = "reports users orders catalogue offers partners pages ranges reviews vouchers communications shipping"
    apps = ["django.contrib.flatpages", "oscar.config.Shop", "oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig"]
    below = [*shop.split(), "search", "voucher", "wishlists", "dashboard"]
    apps += [f"oscar.apps.{name}.apps.{name.capitalize()}Config" for name in below]
    apps += [f"oscar.apps.dashboard.{one}.apps.{one.capitalize()}DashboardConfig" for one in dashboard.split()]
    apps += ["widget_tweaks", "haystack", "treebeard", "sorl.thumbnail", "django_tables2"]
    return {
        **_settings_of("oscar.defaults"),
        "OSCAR_SHOP_NAME": "The miller",
        "INSTALLED_APPS": [*_CONTRIB, *apps],
        "MIDDLEWARE": ["oscar.apps.basket.middleware.BasketMiddleware"],
        "PROCESSORS": ["oscar.apps.search.context_processors.search_form", "oscar.core.context_processors.metadata"],
    }


def _fill_oscar(items: list[dict[str, Any]]) -> None:
    kind = _model("catalogue", "ProductClass").objects.create(name="Thing")
    partner = _model("partner", "Partner").objects.create(name="The miller")
    root = _model("catalogue", "Category")
    sections = {name: root.add_root(name=name.capitalize()) for name in sorted({item["section"] for item in items})}
    for number, item in enumerate(items):
        product = _model("catalogue", "Product").objects.create(
            title=item["title"], slug=item["slug"], product_class=kind, description="".join(_html(item["blocks"]))
        )
        product.categories.add(sections[item["section"]])
        product.stockrecords.create(
            partner=partner, partner_sku=f"T{number}", price=3 + number, num_in_stock=number % 5
        )


def _machina() -> dict[str, Any]:
    machina = import_module("machina")
    named = (
        "conversation conversation.forum_attachments conversation.forum_polls feeds moderation search tracking member"
    )
    apps = ["machina.apps.forum", *(f"machina.apps.forum_{name}" for name in [*named.split(), "permission"])]
    return {
        "MACHINA_FORUM_NAME": "The miller",
        "MACHINA_TOPIC_POSTS_NUMBER_PER_PAGE": 50,
        "INSTALLED_APPS": [*_CONTRIB, "mptt", "haystack", "widget_tweaks", "machina", *apps],
        "MIDDLEWARE": ["machina.apps.forum_permission.middleware.ForumPermissionMiddleware"],
        "PROCESSORS": ["machina.core.context_processors.metadata"],
        "DIRS": [machina.MACHINA_MAIN_TEMPLATE_DIR],
        "CACHES": {
            name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name}
            for name in ("default", "machina_attachments")
        },
    }


def _fill_machina(items: list[dict[str, Any]]) -> None:
    members = _members()
    may = _model("forum_permission", "UserForumPermission").objects
    for permission in _model("forum_permission", "ForumPermission").objects.all():
        if permission.codename in {"can_see_forum", "can_read_forum"}:
            may.create(permission=permission, anonymous_user=True, has_perm=True)
    forums = {
        name: _model("forum", "Forum").objects.create(name=name.capitalize(), type=0)
        for name in sorted({item["section"] for item in items})
    }
    for item in items:
        given = {"subject": item["title"], "approved": True}
        topic = _model("forum_conversation", "Topic").objects.create(
            forum=forums[item["section"]], poster=members[0], type=0, status=0, **given
        )
        for number, block in enumerate(item["blocks"]):
            _model("forum_conversation", "Post").objects.create(
                topic=topic, poster=members[number % 4], content=block.lstrip("#- "), **given
            )


def _spirit() -> dict[str, Any]:
    settings = _settings_of("spirit.extra.project_template.project_name.settings.base")
    cache = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    left_out = ("LOGGING", "STORAGES", "HAYSTACK_SIGNAL_PROCESSOR")
    return {
        **{name: value for name, value in settings.items() if name not in left_out},
        "CACHES": {"default": cache, "st_rate_limit": cache},
        "ST_SITE_URL": "https://site.example/",
        "MIDDLEWARE": settings["MIDDLEWARE"],
        "PROCESSORS": ["djconfig.context_processors.config"],
    }


def _fill_spirit(items: list[dict[str, Any]]) -> None:
    members = _members()
    _model("spirit_category", "Category").objects.create(title="Private", slug="private", is_private=True)
    sections = {
        name: _model("spirit_category", "Category").objects.create(title=name.capitalize())
        for name in sorted({item["section"] for item in items})
    }
    for item in items:
        topic = _model("spirit_topic", "Topic").objects.create(
            user=members[0], category=sections[item["section"]], title=item["title"]
        )
        for number, block in enumerate(_html(item["blocks"])):
            _model("spirit_comment", "Comment").objects.create(
                user=members[number % 4], topic=topic, comment=block, comment_html=block
            )


APPLICATIONS: Mapping[str, tuple[Callable[[], dict[str, Any]], str, Callable[[list[dict[str, Any]]], None]]] = {
    "oscar": (_oscar, "", _fill_oscar),
    "machina": (_machina, "machina.urls", _fill_machina),
    "spirit": (_spirit, "spirit.urls", _fill_spirit),
}
"""The settings of an application, its addresses, and what puts items into its database."""


def _settings_of(module: str) -> dict[str, Any]:
    return {name: value for name, value in vars(import_module(module)).items() if name.isupper()}


def _members() -> list[Any]:
    users = import_module("django.contrib.auth").get_user_model().objects
    return [users.create_user(name, f"{name}@site.example", name) for name in MEMBERS]


def _html(blocks: list[str]) -> list[str]:
    tags = {"# ": "h3", "- ": "li"}
    return ["<{0}>{1}</{0}>".format(tags.get(one[:2], "p"), one.lstrip("#- ")) for one in blocks]


class _NoMigrations(dict[str, None]):
    """For every application: its tables are made at once, in a tenth of the time."""

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, _: str) -> None:
        return None


def _saved() -> Iterator[tuple[str, bytes]]:
    """Yield path and source of the pages that links lead to."""
    client = import_module("django.test").Client(raise_request_exception=False)
    waiting, seen = deque(["/"]), {"/"}
    while waiting:
        path = waiting.popleft()
        answer = client.get(path, follow=True)
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
            continue
        yield path, answer.content
        for link in lxml_html.fromstring(answer.content).xpath("//a/@href"):
            there = urlsplit(urljoin(path, link))
            if not (there.scheme or there.netloc or there.query or there.path in seen):
                seen.add(there.path)
                waiting.append(there.path)


class _Still(dt.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        return cls.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), tz)


def main(name: str, out: Path) -> None:
    """Render one application."""
    dt.datetime = _Still  # type: ignore[misc]
    made, addresses, fill = APPLICATIONS[name]
    given, django = made(), "django.template.context_processors"
    contrib = "sessions.middleware.Session auth.middleware.Authentication messages.middleware.Message".split()
    processors = [*(f"{django}.{one}" for one in ("request", "i18n", "media", "static")), *given.pop("PROCESSORS")]
    processors += [f"django.contrib.{one}.context_processors.{one}" for one in ("auth", "messages")]
    middleware = [f"django.contrib.{one}Middleware" for one in contrib]
    options = {"DIRS": given.pop("DIRS", []), "APP_DIRS": True, "OPTIONS": {"context_processors": processors}}
    settings: Any = import_module("django.conf").settings
    settings.configure(
        **{
            "SITE_ID": 1,
            "USE_TZ": True,
            "STATIC_URL": "/static/",
            "MEDIA_URL": "/media/",
            **given,
            "SECRET_KEY": "-",
            "ALLOWED_HOSTS": ["*"],
            "DEFAULT_AUTO_FIELD": "django.db.models.AutoField",
            "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
            "HAYSTACK_CONNECTIONS": {
                "default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "STORAGE": "ram"}
            },
            "TEMPLATES": [{"BACKEND": "django.template.backends.django.DjangoTemplates", **options}],
            "MIDDLEWARE": [*middleware, *(one for one in given["MIDDLEWARE"] if one not in middleware)],
            "ROOT_URLCONF": (),
            "MIGRATION_MODULES": _NoMigrations(),
        }
    )
    import_module("django").setup()
    csrf: Any = import_module("django.middleware.csrf")
    csrf.get_random_string = lambda length, **_: "0" * length  # two runs make the same pages
    urls: Any = import_module("django.urls")
    oscar = import_module("django.apps").apps.get_app_config("oscar").urls[0] if not addresses else []
    own = [urls.path("", urls.include(addresses))] if addresses else oscar
    settings.ROOT_URLCONF = (urls.path("i18n/", urls.include("django.conf.urls.i18n")), *own)
    call: Any = import_module("django.core.management").call_command
    call("migrate", verbosity=0, run_syncdb=True)
    fill(json.loads(Path("items.json").read_text(encoding="utf-8")))
    call("rebuild_index", verbosity=0, interactive=False)
    for path, source in islice(_saved(), PAGES):
        file = out / unquote(path).lstrip("/") / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
