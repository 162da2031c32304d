"""The hash of the content of the next crawl: places of the frame may have other words, the content may not."""

import pytest

from templex_scrapy import Page, Template
from templex_scrapy.template import votes_for

WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heath")
MENU = "".join(f'<li class="m{i}"><a href="/m{i}">Menu entry {i}</a></li>' for i in range(8))
SHORT = "<h1>Lamps of {0}</h1><ul><li><a href='/{0}/1'>{0} lamp</a></li><li><a href='/{0}/2'>{0} light</a></li></ul>"
LONG = (
    f"<h1>A lamp of {{0}}</h1><p>{'The {0} lamp of the old house stands in the hall, and nobody lights it. ' * 8}</p>"
)
FACTS = "".join(f"<tr><td>Fact {label}</td><td>{{0}} {label}</td></tr>" for label in WORDS)
PRICED = f"{LONG}<div><table><tr><th>Price</th><td>{{0}} coins</td></tr></table></div>"
ASIDE = f"{LONG}</div><aside><dl><dt>Price</dt><dd>{{0}} coins, {{0}}</dd></dl></aside><div>"
BOX = f"{LONG}<div class=box><div><span>Price:</span> <span>{{0}} coins</span></div></div>"
BOLD = f"{LONG}<div class=box><p><b>Price:</b> {{0}} coins</p></div>"
PRODUCT = f"{LONG}<div><table>{FACTS}</table></div>"
FOOTER = (
    "<p>The house of lamps, 2026</p><p>You are visitor number {1}, printed on 1{1} March</p><p>Visitors <b>{1}</b></p>"
)


def pages(body, *, menu=MENU, footer=FOOTER):
    return [
        Page(
            f"<!DOCTYPE html><html><head><title>{word}</title></head><body><ul class=menu>{menu}</ul>"
            f"<div class=main>{body.format(word)}</div><div class=foot>{footer.format(word, number)}</div>",
            f"https://site.test/{word}/",
        )
        for number, word in enumerate(WORDS)
    ]


def hashes(template, some):
    return [template.match(page).clean.content_hash for page in some]


def template_of(some):
    return Template.from_pages(some[0], some[1:6], 3)


@pytest.mark.parametrize("body", [SHORT, LONG, PRODUCT, PRICED, ASIDE, BOX, BOLD])
@pytest.mark.parametrize("is_stored", [True, False])
def test_another_frame_leaves_the_hash(body, is_stored):
    """A new entry in the menu, another year in the footer, another name, and counters that differ on each page."""
    old = pages(body)
    menu = MENU.replace("entry 3", "entry three") + '<li class="m9"><a href="/m9?sid=4f">Novelties</a></li>'
    new = pages(body, menu=menu, footer=FOOTER.replace("lamps, 2026", "good lamps, 2027").replace("{1}", "7{1}3"))
    template = template_of(old)
    # the key page of a new template has a counter too long to be compared with those of the voters
    first = 0 if is_stored else 1
    assert hashes(template if is_stored else template_of(new), new)[first:] == hashes(template, old)[first:]


def test_a_new_link_in_the_frame_of_a_page_without_content_leaves_the_hash():
    """All that the page has is repeated, so that no text tells the content from the frame."""
    footer = "<div><span>The house of lamps</span>{}<span>Lamps for the night</span></div><p>Since 1820</p>"
    template = template_of(pages(LONG, menu="", footer=footer.replace("{}", "")))
    old, new = (pages("", menu="", footer=footer.replace("{}", link)) for link in ("", "<a href=/new>Novelties</a>"))
    assert hashes(template, new)[7] == hashes(template, old)[7]


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("<p>李安昨天打開了上游磨坊的新水閘全村的人都來看", False),
        ("<p>{}", False),
        ("<section><p>{}</section>", False),
        ("<p><a href=/weir>{}</a>", True),
        ("<p>{:.24}", True),
    ],
)
def test_new_sentences_in_a_box_of_the_frame_are_content_and_new_entries_are_not(text, is_same):
    """Where the page has nothing else."""
    box = "<div><h2>Notices</h2><p>No notices at the moment.</p>{}</div>"
    new = "Ann Lee opened the new weir of the upper mill yesterday, and the whole village came to see it."
    template = template_of(pages(LONG, footer=box.replace("{}", "")))
    old, new = (pages("", footer=box.replace("{}", more)) for more in ("", text.format(new)))
    assert (hashes(template, new)[7] == hashes(template, old)[7]) is is_same


@pytest.mark.parametrize(
    "new", [("Home Shop", "Imprint"), ("Home News Shop Blog", "Imprint"), ("Home", "Imprint Privacy")]
)
def test_a_small_menu_and_a_small_footer_of_a_flat_page_are_no_content(new):
    def flat(menu, footer):
        menu, footer = ("".join(f"<a href=/{name}>{name}</a>" for name in names.split()) for names in (menu, footer))
        return [
            Page(f"<body><p>{menu}</p>{LONG.format(word)}<p>{footer}</p>", f"https://site.test/{word}/")
            for word in WORDS
        ]

    old, new = flat("Home News Shop", "Imprint"), flat(*new)
    assert hashes(template_of(new), new) == hashes(template_of(old), old)


@pytest.mark.parametrize(("names", "is_same"), [(1, True), (3, True), (4, False)])
def test_few_texts_that_all_of_few_voters_have_are_content_all_the_same(names, is_same):
    """The authors of three voters are the same, and are removed; seven voters have others as well."""
    ann, bo = (
        pages(f"{LONG}<ul>{''.join(f'<li><a href=/{name}>{name} {at}</a></li>' for at in range(names))}</ul>{LONG}")
        for name in ("Ann", "Bo")
    )
    some = ann[:4] + bo[4:]
    few, many = (Template.from_pages(some[0], some[1:end], votes_for(end - 1, 2)) for end in (4, 8))
    assert (hashes(few, some[1:2]) == hashes(many, some[1:2])) is is_same


@pytest.mark.parametrize(
    ("body", "word", "other"),
    [
        (SHORT, "lamp</a>", "lamps</a>"),
        (SHORT, "{0} light", "{0} sun"),
        (LONG, "nobody", "somebody"),
        (PRODUCT, "{0} cedar<", "{0} zebra<"),
        (PRODUCT, "hall", "barn"),
        (PRICED, "coins", "stars"),
        (ASIDE, "coins", "stars"),
        (BOX, "coins", "stars"),
        (BOLD, "coins", "stars"),
        (PRICED.replace("coins", "coins of pure gold"), "gold", "lead"),
    ],
)
def test_another_word_of_the_content_changes_the_hash(body, word, other):
    old, new = pages(body), pages(body.replace(word, other, 1))
    template = template_of(old)
    assert all(before != after for before, after in zip(hashes(template, old), hashes(template, new), strict=True))


def test_another_value_beside_the_description_changes_the_hash():
    """Voters have "In stock", which belongs to the content of a page with many facts wherever it is."""
    stock = f"<h1>A lamp of {{0}}</h1><p class=stock>In stock</p>{PRODUCT}"
    old, new = pages(stock), pages(stock.replace("In stock", "Sold out"))
    template = template_of(old)
    assert hashes(template, old)[7] != hashes(template, new)[7]


def test_a_counter_in_the_content_is_a_number_of_the_page():
    """Only outside of the content a text that is the same but for numbers is left out."""
    old, new = (pages(f"{LONG}<p>It has burnt for {days}{{0}} days in this house.</p>{LONG}") for days in (3, 4))
    assert hashes(template_of(old), old) != hashes(template_of(old), new)


def test_a_page_without_words_has_no_hash():
    """A browser fills it."""
    assert (
        hashes(template_of(pages("<canvas></canvas>", menu="", footer="")), pages("", menu="", footer="")) == [""] * 8
    )


def test_what_the_user_removes_is_no_content():
    page, template = pages(SHORT)[7], template_of(pages(SHORT))
    plain = template.match(page).clean.content_hash
    assert template.match(page, remove=["h1"]).clean.content_hash != plain
