"""Links that act are told by their address, in many languages, and others are not taken for them."""

import json
import re
from urllib.parse import quote, unquote

import pytest
from helpers.detector_cases import SITES, needs_sites

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
    /buy?confirm=1 /order/cancel/7 /cart?add=5 /session/end /Abmelden /cerrar-sesion /user/sign_out
    /wp-login.php?action=logout /?add-to-cart=5 /l%C3%B6schen/4 /выход /koszyk /r?do=remove /vote/7/up
    /%E9%80%80%E5%87%BA /account/delete-account /logout;jsessionid=1 /?remove_item=3 /?unsubscribe=x
    /?route=account/logout /ucp.php?mode=delete_cookies /viewforum.php?f=3&mark=topics /userlogout /verify-email/abc
    /wiki/Special:MovePage/Foo /w/index.php?title=Special:Userlogout /wiki/Sp%C3%A9cial:D%C3%A9connexion
    /wiki/Toiminnot:Kirjaudu_ulos /wiki/Служебная:Завершение_сеанса /wiki/特別:ログアウト /wiki/特殊:用户退出
    /加入购物车/5 /в-корзину/5 /カートに入れる/5 /장바구니담기/5 /in-den-warenkorb/5 /dodaj-do-koszyka/5
    /sepete-ekle/1 /adicionar-ao-carrinho/2 /add_to_trolley/5 /emptycart /removeFromCart/5 /item.do?toggle=1 /opt-out
    /Logout.aspx /account/logOut /x?follow=5 /x?unwatch /log.out /sign.out /buynow /order-now /mark-all-read /markread
    /join /join?group=5 /enroll /jobs/5/retry /builds/5/stop /jobs/5/start /post/7/report /power/off /power-off
    /relay/1/on /users/5/folgen /light/kitchen/on/ /cron.php /install.php /install?step=2 /index.php?topic=5;sa=delete
    /index.php/topic,5;sa=delete /x?mode=del /report?post=5 /report.php /rate/5 /rate-5 /set-lang /set-lang/de
    /switch-currency/eur /x?setlang=de /follow/anna /like/7 /like-post-7 /x?task=article.delete /x?a=article.delete
    /x?doing_wp_cron=1
    """.split(),
)
def test_links_that_act(path):
    assert acts(f"https://a.example{path}")


# basket, checkout, vote, order, cancel, follow, like, delete
BY_LANGUAGE = {
    "Dutch": "winkelwagen afrekenen stemmen bestellen annuleren volgen vind-ik-leuk verwijderen",
    "German": "warenkorb kasse abstimmen bestellen stornieren abonnieren gefällt-mir löschen",
    "French": "panier paiement voter commander annuler suivre j'aime supprimer",
    "Spanish": "carrito pagar votar pedido cancelar seguir me-gusta eliminar",
    "Italian": "carrello pagamento vota ordina annulla segui mi-piace elimina",
    "Norwegian": "handlekurv kasse stemme bestill avbestill følg liker slett",
    "Turkish": "sepet ödeme oy-ver sipariş iptal takip-et beğen sil",
    "Russian": "корзина оформить голосовать заказать отменить подписаться нравится удалить",
    "Chinese": "购物车 结算 投票 下单 取消 关注 点赞 删除",
    "Korean": "장바구니 결제 투표 주문 취소 팔로우 좋아요 삭제",
    "Arabic": "سلة الدفع تصويت طلب إلغاء متابعة إعجاب حذف",
    "Hebrew": "עגלה תשלום הצבע הזמן ביטול עקוב לייק מחק",
    "Vietnamese": "giỏ-hàng thanh-toán bình-chọn đặt-hàng hủy theo-dõi thích xóa",
    "Thai": "ตะกร้า ชำระเงิน โหวต สั่งซื้อ ยกเลิก ติดตาม ถูกใจ ลบ",
}


@pytest.mark.parametrize("word", [word for words in BY_LANGUAGE.values() for word in words.split()])
def test_words_of_many_languages_act(word):
    """In a path and as a value, as they are and escaped, before and behind a number."""
    for path in (f"/{word}", f"/{quote(word)}/5", f"/5/{word}.php", f"/?x={quote(word)}", f"/?{quote(word)}=5"):
        assert acts(f"https://a.example{path}"), path


@pytest.mark.parametrize(
    "path",
    """
    /blog/how-to-vote /orders-of-magnitude /basketball /follow-up /follow-up.html /jobs/5/retry-policy /join-us /report
    /annual/report /reports?page=2 /docs/install /docs/install.html /start.html /share /canada/on/toronto /spot-on
    /interest-rate /rates /del-mar /runner?id=5 /voter-registration /los-orders /die-folgen /folgen/12 /5-nights-out
    /listing?size=on /jaime-perez /non-stop-flights /opening-hours /closeup /sharepoint /crontab /wok-on-fire
    /关注小鸡的健康问题的方法 /取消高速公路收费的新规定
    / /news/ /news/2024/05/removal-men-strike.html /products/deleted-scenes /about /?page=2 /?id=7 /category/cartoons
    /books/the-endless /posts/7 /docs/editor /weekend /likely-stories /?q=vote+counting+machine /tag/logistics
    /forum/viewtopic.php?t=12&p=3 /reports/2024 /bookshop/12 /post/7 /book/12 /how-to-remove-stains
    /session/why-drupal /plugins/ /blog/in/2024 /wiki/Special:WhatLinksHere/X /wiki/Talk:Deletion
    /?order=Last+reply&sort=asc /tracks/7 /soundtrack /cartoon-network /movements /likes-and-dislikes-of-cats
    /electric-cars-and-carts-compared /sendai /markets /pinball /starters /watches/7 /unlocked-phones-for-travellers
    /中国购物车设计行业发展趋势研究报告 /корзина-для-белья-из-дерева-своими-руками
    """.split(),
)
def test_words_that_name_pages_do_not_act(path):
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
        site = json.loads(manifest.read_text("utf-8"))
        for path in site["pages"][::4]:
            page = Page((manifest.parent / "www" / path).read_bytes(), site["base_url"] + path)
            urls |= {url for url in page.links if site_of(url) == site_of(page.url)}
    refused = [url for url in urls if acts(url) and not ACTS_INDEED.search(unquote(url))]
    assert 0 < len(refused) <= 0.01 * len(urls)
