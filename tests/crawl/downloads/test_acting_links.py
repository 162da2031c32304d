"""Links that act are told by their address, in many languages, and others are not taken for them."""

import re

import pytest
from detector_cases import SITES, needs_sites, tool

from templex_scrapy import Page
from templex_scrapy.crawl.downloads.acting_links import acts
from templex_scrapy.page import site_of

ACTS_INDEED = re.compile(
    r"action=|add-to-cart|replyto|login|/cart|checkout|register|/node/add|customer/account/create|/donate"
    r"|Special:(?:CreateAccount|Upload|UserLogin)"
)


@pytest.mark.parametrize(
    "path",
    """
    /buy?confirm=1 /order/cancel/7 /item/erase/4 /cart?add=5 /api/reset /session/end /Abmelden /deconnexion
    /cerrar-sesion
    /logout /log-out /user/sign_out /wp-login.php?action=logout /item/7/delete /unsubscribe?u=1 /add-to-cart/5
    /?add-to-cart=5 /l%C3%B6schen/4 /выход /odhlasit /koszyk /r?do=remove /vote/7/up /post/7/like /%E9%80%80%E5%87%BA
    /account/delete-account /logout;jsessionid=1 /x?mode=delete /wyloguj-sie /?remove_item=3 /?unsubscribe=x
    /%C3%A7%C4%B1k%C4%B1%C5%9F /?route=account/logout
    /toggle/5 /users/3/poke /trolley/add/5 /wishlist/add/5 /bag/add/5 /node/add/page /unsub?u=5 /unlock?door=1
    /ucp.php?mode=delete_cookies /viewforum.php?f=3&mark=topics /userlogout /verify-email/abc /track/5 /truncate
    /wiki/Special:MovePage/Foo /wiki/Special:UserLogout /w/index.php?title=Special:Userlogout /wiki/Spezial:Abmelden
    /wiki/Sp%C3%A9cial:D%C3%A9connexion /wiki/Especial:Salir /wiki/Speciale:Esci /wiki/Speciaal:Afmelden
    /wiki/Specjalna:Wyloguj /wiki/Toiminnot:Kirjaudu_ulos
    /wiki/Служебная:Завершение_сеанса /wiki/特別:ログアウト
    /wiki/特殊:用户退出 /wiki/Special:CreateAccount /wiki/Special:Block/7 /wiki/Spezial:Verschieben/Seite
    /加入购物车/5 /в-корзину/5 /カートに入れる/5 /장바구니담기/5 /in-den-warenkorb/5 /ajouter-au-panier/3
    /agregar-al-carrito/1 /dodaj-do-koszyka/5 /sepete-ekle/1 /aggiungi-al-carrello/2 /adicionar-ao-carrinho/2
    /add_to_trolley/5 /emptycart /additem/5 /remove-friend/5 /removeFromCart/5 /item.do?toggle=1 /opt-out /upvote/5
    /unfriend/4 /resend-verification /items/3/star /Logout.aspx /account/logOut /rsvp/yes /redeem/CODE /impersonate/5
    /server/restart /cache/flush /comments/5/hide /thread/5/mute /x?follow=5 /x?unwatch /invite/5 /messages/send
    """.split(),
)
def test_links_that_act(path):
    assert acts(f"https://a.example{path}")


@pytest.mark.parametrize(
    "path",
    """
    / /news/ /news/2024/05/removal-men-strike.html /products/deleted-scenes /about /?page=2 /?id=7 /category/cartoons
    /books/the-endless /posts/7 /docs/editor /weekend /likely-stories /?q=vote+counting+machine /tag/logistics
    /forum/viewtopic.php?t=12&p=3 /reports/2024 /bookshop/12 /post/7 /book/12 /how-to-remove-stains
    /session/why-drupal /plugins/ /blog/in/2024 /wiki/Special:WhatLinksHere/X /wiki/Talk:Deletion
    /?order=Last+reply&sort=asc /tracks/7 /soundtrack /cartoon-network /movements /likes-and-dislikes-of-cats
    /electric-cars-and-carts-compared /sendai /markets /pinball /starters /watches/7 /unlocked-phones-for-travellers
    /中国购物车设计行业发展趋势研究报告 /корзина-для-белья-из-дерева-своими-руками
    """.split(),
)
def test_links_that_do_not_act(path):
    assert not acts(f"https://a.example{path}")


def test_credentials_in_a_url_act():
    assert acts("https://user:password@a.example/")


@pytest.mark.integration
@pytest.mark.shared
@needs_sites
def test_few_links_of_saved_sites_are_refused():
    """At most one of a hundred links of which a person would not say that they act, or are for one user."""
    urls = set()
    for manifest in [*SITES.glob("*/site.json"), *SITES.parent.glob("wide/*/site.json")]:
        saved = tool("site_archive").SavedSite(manifest.parent)
        for path in saved.pages[::4]:
            page = Page(saved.read(path), saved.url(path))
            urls |= {url for url in page.links if site_of(url) == site_of(page.url)}
    refused = [url for url in urls if acts(url) and not ACTS_INDEED.search(url)]
    assert 0 < len(refused) <= 0.01 * len(urls)
